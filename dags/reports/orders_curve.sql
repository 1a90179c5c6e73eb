-- Buyers, orders and turnover of each shop since midnight, every ten minutes: the curve of the day.
SET 'pipeline.name' = 'orders_curve';

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
    'csv.ignore-parse-errors' = 'true',
    'scan.null-rowtime' = 'skip',
    'source.monitor-interval' = '500 ms',
    'partition.time-extractor.timestamp-pattern' = '$ds $hh:00:00'
);

CREATE TABLE orders_curve (
    shop_id      INT,
    window_start TIMESTAMP(3),
    window_end   TIMESTAMP(3),
    buyers       BIGINT,
    orders       BIGINT,
    gmv          DECIMAL(38, 2),
    ds           STRING
) PARTITIONED BY (ds) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/orders_curve',
    'format' = 'parquet'
);

INSERT INTO orders_curve
SELECT
    shop_id,
    window_start,
    window_end,
    COUNT(DISTINCT user_id) AS buyers,
    COUNT(*) AS orders,
    SUM(price) AS gmv,
    DATE_FORMAT(window_start, 'yyyy-MM-dd') AS ds
FROM TABLE(
    CUMULATE(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY shop_id, window_start, window_end;
