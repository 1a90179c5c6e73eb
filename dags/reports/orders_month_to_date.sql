-- Orders, buyers and sales since the first of the month and since the first of January, each day, per shop.
SET 'pipeline.name' = 'orders_month_to_date';

CREATE TABLE orders (
    order_id BIGINT,
    shop_id  BIGINT,
    user_id  BIGINT,
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

CREATE TABLE orders_month_to_date (
    shop_id    BIGINT,
    window_end TIMESTAMP(3),
    orders     BIGINT,
    buyers     BIGINT,
    gmv        DECIMAL(38, 2),
    month      STRING
) PARTITIONED BY (month) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/orders_month_to_date',
    'format' = 'parquet'
);

CREATE TABLE orders_year_to_date (
    shop_id    BIGINT,
    window_end TIMESTAMP(3),
    orders     BIGINT,
    buyers     BIGINT,
    gmv        DECIMAL(38, 2)
) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/orders_year_to_date',
    'format' = 'parquet'
);

INSERT INTO orders_month_to_date
SELECT
    shop_id, window_end, COUNT(*), COUNT(DISTINCT user_id), SUM(price), DATE_FORMAT(window_start, 'yyyy-MM') AS `month`
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '1' DAY, INTERVAL '1' MONTH))
GROUP BY shop_id, window_start, window_end;

INSERT INTO orders_year_to_date
SELECT shop_id, window_end, COUNT(*), COUNT(DISTINCT user_id), SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '1' DAY, INTERVAL '1' YEAR))
GROUP BY shop_id, window_start, window_end;
