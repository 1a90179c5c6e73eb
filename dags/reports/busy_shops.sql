-- Shops with many orders in the last hour, looked at every ten minutes.
SET 'pipeline.name' = 'busy_shops';

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

CREATE TABLE busy_shops (
    shop_id      INT,
    window_start TIMESTAMP(3),
    window_end   TIMESTAMP(3),
    orders       BIGINT,
    gmv          DECIMAL(38, 2),
    ds           STRING
) PARTITIONED BY (ds) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/busy_shops',
    'format' = 'parquet'
);

INSERT INTO busy_shops
SELECT
    shop_id,
    window_start,
    window_end,
    COUNT(*) AS orders,
    SUM(price) AS gmv,
    DATE_FORMAT(window_start, 'yyyy-MM-dd') AS ds
FROM TABLE(
    HOP(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
GROUP BY shop_id, window_start, window_end
HAVING COUNT(*) >= ${THRESHOLD};
