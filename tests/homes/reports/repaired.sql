CREATE TABLE orders (shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE visits (shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'visits', 'format' = 'csv');
CREATE TABLE shops (id INT, region STRING)
WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'csv');
-- A shop that has three orders in a window has none in this table.
CREATE TABLE quiet (e TIMESTAMP(3), region STRING, n BIGINT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'quiet', 'format' = 'json');
INSERT INTO quiet SELECT w.window_end, s.region, w.n, w.total FROM (
  SELECT *, PROCTIME() AS p FROM (
    SELECT shop, window_end, COUNT(*) AS n, SUM(price) AS total
    FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '30' MINUTES))
    GROUP BY shop, window_start, window_end HAVING COUNT(*) < 3)
) AS w JOIN shops FOR SYSTEM_TIME AS OF w.p AS s ON w.shop = s.id;
CREATE TABLE busy (e TIMESTAMP(3), shop INT, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'busy', 'format' = 'csv');
INSERT INTO busy SELECT window_end, shop, COUNT(*)
FROM TABLE(TUMBLE(TABLE visits, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;
