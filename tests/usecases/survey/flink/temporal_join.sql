CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE rates (
    shop STRING, rate DECIMAL(10, 4), since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (shop) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '/data/rates', 'format' = 'json');

CREATE TABLE results (
    order_id BIGINT, worth DECIMAL(38, 6)
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT o.order_id, o.amount * r.rate
FROM orders o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.shop = r.shop;
