CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE refunds (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/refunds', 'format' = 'json');

CREATE TABLE results (
    order_id BIGINT, amount DECIMAL(10, 2)
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT o.order_id, r.amount
FROM orders o, refunds r
WHERE o.order_id = r.order_id AND r.ts BETWEEN o.ts AND o.ts + INTERVAL '4' HOUR;
