CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE results (
    shop STRING
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

CREATE TEMPORARY FUNCTION shout AS 'udfs.shout' LANGUAGE PYTHON;

INSERT INTO results SELECT shout(shop) FROM orders;
