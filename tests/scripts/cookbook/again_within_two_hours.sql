-- An interval join: another order of the same user within two hours.
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE later (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE again (order_id BIGINT, next_id BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/again', 'format' = 'json');
INSERT INTO again
SELECT a.order_id, b.order_id
FROM orders AS a JOIN later AS b ON a.user_id = b.user_id
WHERE b.ts BETWEEN a.ts + INTERVAL '1' SECOND AND a.ts + INTERVAL '2' HOUR;
