-- Buyers, orders and turnover of each shop since midnight, every ten minutes: from a topic into a database.
-- What was read of the topic goes into an archive, too: backfill and verification read that.
SET 'pipeline.name' = 'orders_kafka_postgres';

CREATE TABLE orders (
    order_id BIGINT,
    shop_id  INT,
    user_id  INT,
    price    DECIMAL(10, 2),
    pay_time TIMESTAMP(3),
    WATERMARK FOR pay_time AS pay_time - INTERVAL '5' MINUTES
) WITH (
    'connector' = 'kafka',
    'topic' = 'orders',
    'properties.bootstrap.servers' = '${BROKERS}',
    'scan.startup.mode' = 'earliest-offset',
    'scan.watermark.idle-timeout' = '1 min',
    -- Some 40,000 records a batch: after a pause results come hour by hour, not all at the end.
    'source.max-batch-size' = '8 mb',
    'format' = 'json',
    'json.ignore-parse-errors' = 'true',
    'scan.null-rowtime' = 'skip',
    'archive' = 'orders_by_hour'
);

CREATE TABLE orders_by_hour (
    order_id BIGINT,
    shop_id  INT,
    user_id  INT,
    price    DECIMAL(10, 2),
    pay_time TIMESTAMP(3),
    ds       STRING,
    hh       STRING
) PARTITIONED BY (ds, hh) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/orders_by_hour',
    'format' = 'parquet'
);

CREATE TABLE orders_curve (
    shop_id    INT,
    window_end TIMESTAMP(3),
    buyers     BIGINT,
    orders     BIGINT,
    gmv        DECIMAL(38, 2),
    PRIMARY KEY (shop_id, window_end) NOT ENFORCED
) WITH (
    'connector' = 'jdbc',
    'url' = 'jdbc:postgresql://${conn:orders_db.host}:${conn:orders_db.port}/${conn:orders_db.schema}',
    'table-name' = 'orders_curve',
    'username' = '${conn:orders_db.login}',
    'password' = '${conn:orders_db.password}',
    'sink.create-table' = 'true'
);

INSERT INTO orders_curve
SELECT shop_id, window_end, COUNT(DISTINCT user_id) AS buyers, COUNT(*) AS orders, SUM(price) AS gmv
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY shop_id, window_start, window_end;
