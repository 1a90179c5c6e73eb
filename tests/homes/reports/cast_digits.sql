CREATE TABLE events (shop STRING, seen TIMESTAMP(6), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');

CREATE TABLE tumbling (e TIMESTAMP(3), n BIGINT, times BIGINT, texts BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'tumbling', 'format' = 'json');
INSERT INTO tumbling SELECT window_end, COUNT(*), COUNT(DISTINCT CAST(seen AS TIMESTAMP(1))),
    COUNT(DISTINCT CAST(CAST(seen AS STRING) AS TIMESTAMP(4)))
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY window_start, window_end;

CREATE TABLE passed (shop STRING, seen TIMESTAMP(6))
WITH ('connector' = 'filesystem', 'path' = 'passed', 'format' = 'json');
INSERT INTO passed SELECT shop, CAST(seen AS TIMESTAMP(2)) FROM events;
