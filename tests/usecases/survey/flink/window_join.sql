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
    window_start TIMESTAMP(3), window_end TIMESTAMP(3), shop STRING, sold BIGINT, back BIGINT
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT o.window_start, o.window_end, o.shop, o.n, r.n
FROM (
    SELECT window_start, window_end, shop, COUNT(*) AS n
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '5' MINUTES))
    GROUP BY window_start, window_end, shop
) o JOIN (
    SELECT window_start, window_end, shop, COUNT(*) AS n
    FROM TABLE(TUMBLE(TABLE refunds, DESCRIPTOR(ts), INTERVAL '5' MINUTES))
    GROUP BY window_start, window_end, shop
) r ON o.window_start = r.window_start AND o.window_end = r.window_end AND o.shop = r.shop;
