CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE results (
    window_start TIMESTAMP(3), window_end TIMESTAMP(3), shop STRING, total DECIMAL(38, 2), place BIGINT
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY total DESC) AS place
    FROM (
        SELECT window_start, window_end, shop, SUM(amount) AS total
        FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
        GROUP BY window_start, window_end, shop
    )
) WHERE place <= 3;
