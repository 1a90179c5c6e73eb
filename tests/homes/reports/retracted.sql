CREATE TABLE events (shop STRING, seen TIMESTAMP(3), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'debezium-json');

CREATE TABLE shops (shop STRING, n BIGINT, times BIGINT, last_seen TIMESTAMP(3), PRIMARY KEY (shop) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'json');
INSERT INTO shops SELECT shop, COUNT(*), COUNT(DISTINCT seen), MAX(seen) FROM events GROUP BY shop;
