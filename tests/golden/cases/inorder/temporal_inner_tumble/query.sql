SELECT window_start, window_end, currency, SUM(dollars) AS dollars, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE converted, DESCRIPTOR(ts), INTERVAL '30' MINUTE))
GROUP BY window_start, window_end, currency
