CREATE TABLE past (shop INT, price INT, ts TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = 'past', 'format' = 'parquet');
CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '${SERVERS}', 'format' = 'json',
  'scan.startup.mode' = 'earliest-offset', 'scan.history' = 'past', 'scan.history.until' = '2024-06-18 10:25');
CREATE TABLE curve (e TIMESTAMP(3), n BIGINT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');
INSERT INTO curve SELECT window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY window_start, window_end;
