-- Revenue of a shop against its day before.
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE days (shop STRING, window_start TIMESTAMP(3), revenue DECIMAL(38, 2), before DECIMAL(38, 2))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/days', 'format' = 'json');
INSERT INTO days
SELECT shop, window_start, revenue, LAG(revenue) OVER (PARTITION BY shop ORDER BY window_time)
FROM (
    SELECT shop, window_start, window_end, window_time, SUM(price) AS revenue
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))
    GROUP BY shop, window_start, window_end, window_time);
