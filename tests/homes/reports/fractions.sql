CREATE TABLE events (shop STRING, seen TIMESTAMP(3), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');

CREATE TABLE tumbling (e TIMESTAMP(3), n BIGINT, times BIGINT, first_seen TIMESTAMP(3), last_ts TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = 'tumbling', 'format' = 'json');
INSERT INTO tumbling SELECT window_end, COUNT(*), COUNT(DISTINCT seen), MIN(seen), MAX(ts)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY window_start, window_end;

CREATE TABLE shops (shop STRING, times BIGINT, PRIMARY KEY (shop) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'json');
INSERT INTO shops SELECT shop, COUNT(DISTINCT seen) FROM events GROUP BY shop;

CREATE TABLE passed (shop STRING, seen TIMESTAMP(3), ts TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = 'passed', 'format' = 'json');
INSERT INTO passed SELECT shop, seen, ts FROM events WHERE seen < ts;
