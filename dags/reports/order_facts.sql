-- Each hour's orders by shop: a fact table that other pipelines build on.
SET 'pipeline.name' = 'order_facts';

CREATE TABLE orders (
    order_id BIGINT,
    shop_id  INT,
    user_id  INT,
    price    DECIMAL(10, 2),
    pay_time TIMESTAMP(3),
    ds       STRING,
    hh       STRING,
    WATERMARK FOR pay_time AS pay_time - INTERVAL '5' MINUTES
) PARTITIONED BY (ds, hh) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/orders',
    'format' = 'csv',
    'source.monitor-interval' = '1 s',
    'partition.time-extractor.timestamp-pattern' = '$ds $hh:00:00'
);

CREATE TABLE order_facts (
    shop_id      INT,
    window_start TIMESTAMP(3),
    window_end   TIMESTAMP(3),
    orders       BIGINT,
    buyers       BIGINT,
    gmv          DECIMAL(38, 2),
    dearest      DECIMAL(10, 2),
    ds           STRING
) PARTITIONED BY (ds) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/order_facts',
    'format' = 'parquet'
);

INSERT INTO order_facts
SELECT
    shop_id,
    window_start,
    window_end,
    COUNT(*) AS orders,
    COUNT(DISTINCT user_id) AS buyers,
    SUM(price) AS gmv,
    MAX(price) AS dearest,
    DATE_FORMAT(window_start, 'yyyy-MM-dd') AS ds
FROM TABLE(
    TUMBLE(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '1' HOUR))
GROUP BY shop_id, window_start, window_end;
