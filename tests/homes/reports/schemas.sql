CREATE TABLE orders_by_hour (shop INT, price INT, ts TIMESTAMP(3), ds STRING, hh STRING) PARTITIONED BY (ds, hh)
WITH ('connector' = 'filesystem', 'path' = 'archive', 'format' = 'parquet');
CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)
WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = '${SERVERS}',
  'format' = 'avro-confluent', 'avro-confluent.url' = '${REGISTRY}',
  'scan.startup.mode' = 'earliest-offset', 'archive' = 'orders_by_hour');
CREATE TABLE curve (e TIMESTAMP(3), n BIGINT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');
INSERT INTO curve SELECT window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;
