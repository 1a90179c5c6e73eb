-- IN of a query under OR.
-- Needs: 5
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE kept (order_id BIGINT, price DECIMAL(10, 2))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/kept', 'format' = 'debezium-json');
INSERT INTO kept
SELECT order_id, price FROM orders WHERE price > 90 OR user_id IN (SELECT CAST(id AS BIGINT) FROM cities);
