-- A comparison with all rows of a query.
-- Needs: 5
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE dear (order_id BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/dear', 'format' = 'debezium-json');
INSERT INTO dear
SELECT order_id FROM orders WHERE price > ALL (SELECT CAST(id * 30 AS DECIMAL(10, 2)) FROM cities);
