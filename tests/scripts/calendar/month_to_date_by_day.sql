-- Sales of each shop since the first of the month, at the end of each day.
-- Needs: 1
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.json', 'format' = 'json');
CREATE TABLE month_to_date (shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), amount BIGINT, buyers BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/month_to_date', 'format' = 'json');
INSERT INTO month_to_date
SELECT shop, window_start, window_end, SUM(amount), COUNT(DISTINCT user_id)
FROM TABLE(CUMULATE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '1' MONTH))
GROUP BY shop, window_start, window_end;
