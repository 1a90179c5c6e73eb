CREATE TABLE events (shop STRING, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');
CREATE TABLE files (shop STRING, e TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'files', 'format' = 'json');
INSERT INTO files SELECT shop, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;
CREATE TABLE away (shop STRING, e TIMESTAMP(3), n BIGINT, day STRING) PARTITIONED BY (day)
WITH ('connector' = 'filesystem', 'path' = 'away', 'format' = 'csv');
INSERT INTO away SELECT shop, window_end, COUNT(*), DATE_FORMAT(window_end, 'yyyy-MM-dd')
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;
