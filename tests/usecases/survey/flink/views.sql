CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE results (
    shop STRING, amount DECIMAL(10, 2)
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

CREATE TEMPORARY VIEW paid AS SELECT * FROM orders WHERE amount > 0;

INSERT INTO results
SELECT UPPER(shop), amount FROM paid UNION ALL SELECT COALESCE(shop, '?'), 0.00 FROM orders WHERE amount IS NULL;
