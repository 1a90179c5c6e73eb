CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    PRIMARY KEY (order_id) NOT ENFORCED,
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE results (
    order_id BIGINT PRIMARY KEY NOT ENFORCED, shop STRING, amount DECIMAL(10, 2)
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results SELECT order_id, shop, amount FROM orders;
