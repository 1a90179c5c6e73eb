-- The items of a day from the best on, and the share of revenue up to each.
-- Needs: 3
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE pareto (item STRING, window_start TIMESTAMP(3), revenue DECIMAL(38, 2), up_to_here DECIMAL(38, 2))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/pareto', 'format' = 'json');
INSERT INTO pareto
SELECT item, window_start, revenue,
    SUM(revenue) OVER (PARTITION BY window_start, window_end ORDER BY revenue DESC, item)
FROM (
    SELECT item, window_start, window_end, SUM(price) AS revenue
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))
    GROUP BY item, window_start, window_end);
