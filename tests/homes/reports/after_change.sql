CREATE TABLE events (id INT, price DECIMAL(5, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'json', 'source.monitor-interval' = '1 s');

CREATE TABLE tumbling (e TIMESTAMP(3), n BIGINT, ids BIGINT, total DECIMAL(38, 2))
WITH ('connector' = 'filesystem', 'path' = 'tumbling', 'format' = 'json');
INSERT INTO tumbling SELECT window_end, COUNT(*), SUM(id), SUM(price)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) WHERE id > 1 GROUP BY window_start, window_end;
