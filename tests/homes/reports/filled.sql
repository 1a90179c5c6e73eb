CREATE TABLE events (shop STRING, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');
CREATE TABLE curve (shop STRING, e TIMESTAMP(3), n BIGINT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');
INSERT INTO curve SELECT shop, window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;
CREATE TABLE added (shop STRING, e TIMESTAMP(3), n BIGINT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'added', 'format' = 'csv');
INSERT INTO added SELECT shop, window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;
