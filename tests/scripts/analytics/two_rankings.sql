-- Two rankings of items in one query.
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE rankings (item STRING, window_start TIMESTAMP(3), by_revenue BIGINT, by_orders BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/rankings', 'format' = 'json');
INSERT INTO rankings
SELECT item, window_start,
    RANK() OVER (PARTITION BY window_start, window_end ORDER BY revenue DESC),
    DENSE_RANK() OVER (PARTITION BY window_start, window_end ORDER BY orders DESC)
FROM (
    SELECT item, window_start, window_end, SUM(price) AS revenue, COUNT(*) AS orders
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))
    GROUP BY item, window_start, window_end);
