CREATE TABLE orders (id INT, shop INT, price INT, ts TIMESTAMP(3), proctime AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE shops (id INT, region STRING)
WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'csv');
CREATE VIEW placed AS SELECT o.id, o.ts, o.price, s.region
FROM orders AS o JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.id;
CREATE TABLE enriched (id INT, region STRING)
WITH ('connector' = 'filesystem', 'path' = 'enriched', 'format' = 'json');
INSERT INTO enriched SELECT id, region FROM placed;
CREATE TABLE regions (region STRING, e TIMESTAMP(3), n BIGINT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'regions', 'format' = 'json');
INSERT INTO regions SELECT region, window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE placed, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY region, window_start, window_end;
