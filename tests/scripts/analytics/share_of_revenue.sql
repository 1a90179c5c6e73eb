-- The share of each shop in the revenue of its day.
-- Needs: 3
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE shares (shop STRING, window_start TIMESTAMP(3), revenue DECIMAL(38, 2), share DOUBLE)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/shares', 'format' = 'json');
INSERT INTO shares
SELECT shop, window_start, revenue,
    CAST(revenue AS DOUBLE) / CAST(SUM(revenue) OVER (PARTITION BY window_start, window_end) AS DOUBLE)
FROM (
    SELECT shop, window_start, window_end, SUM(price) AS revenue
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))
    GROUP BY shop, window_start, window_end);
