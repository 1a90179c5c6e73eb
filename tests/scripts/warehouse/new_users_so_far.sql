-- The curve of new users of a day, each ten minutes.
-- Needs: 2
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE new_users (window_start TIMESTAMP(3), window_end TIMESTAMP(3), users BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/new_users', 'format' = 'json');
CREATE VIEW first_orders AS
SELECT user_id, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id, DATE_FORMAT(ts, 'yyyyMMdd') ORDER BY ts) AS n FROM orders)
WHERE n = 1;
INSERT INTO new_users
SELECT window_start, window_end, COUNT(user_id)
FROM TABLE(CUMULATE(TABLE first_orders, DESCRIPTOR(ts), INTERVAL '2' HOUR, INTERVAL '1' DAY))
GROUP BY window_start, window_end;
