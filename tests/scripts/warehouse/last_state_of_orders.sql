-- The last state of each order, by status (keep last).
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE states (status STRING, orders BIGINT, revenue DECIMAL(38, 2), PRIMARY KEY (status) NOT ENFORCED)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/states', 'format' = 'json');
SET 'table.exec.state.ttl' = '7 d';
INSERT INTO states
SELECT status, COUNT(*), SUM(price) FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY ts DESC) AS n FROM orders)
WHERE n = 1 GROUP BY status;
