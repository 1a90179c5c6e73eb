-- EXISTS in CASE.
-- Needs: 5
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE flagged (order_id BIGINT, known STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/flagged', 'format' = 'debezium-json');
INSERT INTO flagged
SELECT order_id, CASE WHEN EXISTS (SELECT 1 FROM cities WHERE cities.id = orders.user_id) THEN 'known' ELSE 'new' END
FROM orders;
