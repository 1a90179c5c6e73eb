-- Sales of each month.
-- Needs: 1
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.json', 'format' = 'json');
CREATE TABLE monthly (shop STRING, window_start TIMESTAMP(3), sales_of_month BIGINT, amount BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/monthly', 'format' = 'json');
INSERT INTO monthly
SELECT shop, window_start, COUNT(*), SUM(amount)
FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MONTH))
GROUP BY shop, window_start, window_end;
