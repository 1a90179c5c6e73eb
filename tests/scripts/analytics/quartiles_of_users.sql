-- Users of a day in four groups by what they spend.
-- Needs: 3
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE quartiles (user_id BIGINT, window_start TIMESTAMP(3), spent DECIMAL(38, 2), quartile INT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/quartiles', 'format' = 'json');
INSERT INTO quartiles
SELECT user_id, window_start, spent,
    CAST(NTILE(4) OVER (PARTITION BY window_start, window_end ORDER BY spent DESC, user_id) AS INT)
FROM (
    SELECT user_id, window_start, window_end, SUM(price) AS spent
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))
    GROUP BY user_id, window_start, window_end);
