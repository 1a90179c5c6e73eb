WITH firsts AS (
  SELECT item, supplier, user_id, qty, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY supplier, user_id ORDER BY pt) AS rownum FROM bid)
  WHERE rownum = 1)
SELECT item, window_start, window_end, COUNT(*) AS n, SUM(qty) AS qty FROM TABLE(TUMBLE(TABLE firsts, DESCRIPTOR(ts), INTERVAL '10' MINUTE))
GROUP BY item, window_start, window_end
