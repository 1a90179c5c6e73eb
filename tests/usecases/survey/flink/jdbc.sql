CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE totals (shop STRING PRIMARY KEY NOT ENFORCED, total DECIMAL(38, 2)) WITH (
    'connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/reports', 'table-name' = 'totals'
);

INSERT INTO totals SELECT shop, SUM(amount) FROM orders GROUP BY shop;
