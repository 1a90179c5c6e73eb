CREATE TABLE events (shop STRING, price INT, items INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');

CREATE TABLE tumbling (e TIMESTAMP(3), n BIGINT, each INT, total INT)
WITH ('connector' = 'filesystem', 'path' = 'tumbling', 'format' = 'json');
INSERT INTO tumbling SELECT window_end, COUNT(*), MAX(price / items), SUM(price)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY window_start, window_end;
