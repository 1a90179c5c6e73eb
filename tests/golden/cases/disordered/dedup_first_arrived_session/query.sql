WITH firsts AS (
  SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY item, user_id ORDER BY pt) AS rownum FROM bid)
  WHERE rownum = 1)
SELECT item, window_start, window_end, COUNT(*) AS n, MIN(id) AS least
FROM TABLE(SESSION(TABLE firsts PARTITION BY item, DESCRIPTOR(ts), INTERVAL '3' MINUTE))
GROUP BY item, window_start, window_end
