CREATE TABLE events (id INT, shop INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');
CREATE TABLE seldom (shop INT, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'seldom', 'format' = 'debezium-json', 'update-rate' = '3 min');
INSERT INTO seldom SELECT shop, COUNT(*) FROM events GROUP BY shop;
CREATE TABLE in_order (shop INT, id INT)
WITH ('connector' = 'filesystem', 'path' = 'in_order', 'format' = 'json');
INSERT INTO in_order SELECT shop, id FROM events ORDER BY shop DESC, id;
