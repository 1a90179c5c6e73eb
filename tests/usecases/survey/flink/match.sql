CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE results (
    shop STRING, first_ts TIMESTAMP(3)
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT * FROM orders MATCH_RECOGNIZE (
    PARTITION BY shop ORDER BY ts MEASURES A.ts AS first_ts
    PATTERN (A B) DEFINE A AS A.amount > 10, B AS B.amount < 5
);
