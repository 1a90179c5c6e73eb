-- The last three months, each month.
-- Needs: 1
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.json', 'format' = 'json');
CREATE TABLE trailing (window_start TIMESTAMP(3), window_end TIMESTAMP(3), amount BIGINT, buyers BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/trailing', 'format' = 'json');
INSERT INTO trailing
SELECT window_start, window_end, SUM(amount), COUNT(DISTINCT user_id)
FROM TABLE(HOP(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MONTH, INTERVAL '3' MONTH))
GROUP BY window_start, window_end;
