-- The 100 best-selling items since midnight, every ten minutes, each with the buyers of the item and of its seller.
SET 'pipeline.name' = 'item_top100_cumulate_10min';

CREATE TABLE item_orders (
    item_id   BIGINT,
    seller_id BIGINT,
    user_id   BIGINT,
    price     DECIMAL(10, 2),
    pay_time  TIMESTAMP(3),
    ds        STRING,
    hh        STRING,
    WATERMARK FOR pay_time AS pay_time - INTERVAL '5' MINUTES
) PARTITIONED BY (ds, hh) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/item_orders',
    'format' = 'csv',
    'source.monitor-interval' = '1 s',
    'partition.time-extractor.timestamp-pattern' = '$ds $hh:00:00'
);

CREATE TABLE item_top100_cumulate_10min (
    window_start   TIMESTAMP(3),
    window_end     TIMESTAMP(3),
    place          BIGINT,
    item_id        BIGINT,
    seller_id      BIGINT,
    sales          DECIMAL(38, 2),
    item_buyer_cnt BIGINT,
    slr_buyer_cnt  BIGINT,
    ds             STRING
) PARTITIONED BY (ds) WITH (
    'connector' = 'filesystem',
    'path' = '${DATA}/item_top100_cumulate_10min',
    'format' = 'parquet'
);

CREATE TEMPORARY VIEW trd_itm_ord_mm AS
SELECT a.item_id, a.seller_id, a.window_start, a.window_end, a.sales, a.item_buyer_cnt, b.slr_buyer_cnt
FROM (
    SELECT item_id, seller_id, window_start, window_end, SUM(price) AS sales, COUNT(DISTINCT user_id) AS item_buyer_cnt
    FROM TABLE(
        CUMULATE(TABLE item_orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
    GROUP BY item_id, seller_id, window_start, window_end
) a
LEFT JOIN (
    SELECT seller_id, window_start, window_end, COUNT(DISTINCT user_id) AS slr_buyer_cnt
    FROM TABLE(
        CUMULATE(TABLE item_orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
    GROUP BY seller_id, window_start, window_end
) b
ON a.seller_id = b.seller_id AND a.window_start = b.window_start AND a.window_end = b.window_end;

INSERT INTO item_top100_cumulate_10min
SELECT
    window_start, window_end, place, item_id, seller_id, sales, item_buyer_cnt, slr_buyer_cnt,
    DATE_FORMAT(window_start, 'yyyy-MM-dd') AS ds
FROM (
    SELECT
        *,
        -- Items that sold the same are ordered by their number: the batch, too, must find the same hundred.
        ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY sales DESC, item_id) AS place
    FROM trd_itm_ord_mm
)
WHERE place <= 100;
