-- Hints about state and joins.
-- Needs: 5
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE named (order_id BIGINT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/named', 'format' = 'json');
SET 'table.exec.state.unbounded' = 'allow';
INSERT INTO named
SELECT /*+ BROADCAST(c), STATE_TTL('o' = '1d') */ o.order_id, c.city
FROM orders AS o JOIN cities AS c ON o.user_id = c.id;
