CREATE TABLE orders (id INT, shop INT, price INT, ts TIMESTAMP(3), proctime AS PROCTIME(),
  WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE shops (id INT, region STRING)
WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'csv');
CREATE VIEW placed AS SELECT o.id, o.ts, o.price, s.region
FROM orders AS o JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.id;
CREATE TABLE regions (region STRING, e TIMESTAMP(3), n BIGINT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'regions', 'format' = 'json');
INSERT INTO regions SELECT region, window_end, COUNT(*), SUM(price)
FROM TABLE(CUMULATE(TABLE placed, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
GROUP BY region, window_start, window_end;
CREATE TABLE newest (shop INT, id INT, day STRING, PRIMARY KEY (shop, day) NOT ENFORCED) PARTITIONED BY (day)
WITH ('connector' = 'filesystem', 'path' = 'newest', 'format' = 'json');
INSERT INTO newest SELECT shop, id, day FROM (
  SELECT shop, id, DATE_FORMAT(ts, 'HH') AS day, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY ts DESC) AS n FROM orders)
WHERE n = 1;
