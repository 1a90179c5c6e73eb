-- What each step of a curve adds.
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE steps (shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), added DECIMAL(38, 2))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/steps', 'format' = 'json');
INSERT INTO steps
SELECT shop, window_start, window_end,
    revenue - COALESCE(LAG(revenue) OVER (PARTITION BY shop, window_start ORDER BY window_time), 0)
FROM (
    SELECT shop, window_start, window_end, window_time, SUM(price) AS revenue
    FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '1' DAY))
    GROUP BY shop, window_start, window_end, window_time);
