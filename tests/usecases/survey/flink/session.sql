CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE results (
    window_start TIMESTAMP(3), window_end TIMESTAMP(3), shop STRING, n BIGINT
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT window_start, window_end, shop, COUNT(*)
FROM TABLE(SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '30' MINUTES))
GROUP BY window_start, window_end, shop;
