SET 'pipeline.name' = 'seconds';

CREATE TABLE orders (
    shop  STRING,
    price DECIMAL(10, 2),
    paid  TIMESTAMP(3),
    WATERMARK FOR paid AS paid - INTERVAL '5' SECONDS
) WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv', 'source.monitor-interval' = '200 ms');

CREATE TABLE seconds (
    shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), orders BIGINT, gmv DECIMAL(38, 2)
) WITH ('connector' = 'filesystem', 'path' = '${TABLE}', 'format' = 'json');

INSERT INTO seconds
SELECT shop, window_start, window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(paid), INTERVAL '10' SECONDS))
GROUP BY shop, window_start, window_end;
