CREATE TABLE events (id INT, shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');
CREATE TABLE shops (id INT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'csv');

CREATE TABLE totals (shop INT, n BIGINT, total INT, PRIMARY KEY (shop) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'totals', 'format' = 'json');
INSERT INTO totals SELECT shop, COUNT(*), SUM(price) FROM events GROUP BY shop;

CREATE TABLE best (shop INT, id INT, price INT)
WITH ('connector' = 'filesystem', 'path' = 'best', 'format' = 'debezium-json');
INSERT INTO best SELECT shop, id, price FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price DESC, id) AS n FROM events) WHERE n <= 2;

CREATE TABLE firsts (shop INT, id INT)
WITH ('connector' = 'filesystem', 'path' = 'firsts', 'format' = 'debezium-json');
INSERT INTO firsts SELECT shop, id FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY ts) AS n FROM events) WHERE n = 1;

CREATE TABLE named (name STRING, id INT)
WITH ('connector' = 'filesystem', 'path' = 'named', 'format' = 'debezium-json');
INSERT INTO named SELECT shops.name, events.id FROM events LEFT JOIN shops ON events.shop = shops.id;

CREATE TABLE visits (shop INT, s TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'visits', 'format' = 'debezium-json');
INSERT INTO visits SELECT id, window_start, COUNT(*)
FROM TABLE(SESSION(TABLE shops PARTITION BY id, DESCRIPTOR(ts), INTERVAL '9' MINUTES)) GROUP BY id, window_start, window_end;

CREATE TABLE lately (shop INT, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'lately', 'format' = 'debezium-json');
INSERT INTO lately SELECT shop, COUNT(*) FROM events WHERE ts BETWEEN now() - INTERVAL '1' HOUR AND now() GROUP BY shop;
