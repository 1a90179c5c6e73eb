CREATE TABLE events (shop STRING, user_id INT, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv', 'csv.ignore-parse-errors' = 'true',
  'scan.null-rowtime' = 'skip', 'source.ignore-corrupt' = 'true');

CREATE TABLE tumbling (shop STRING, e TIMESTAMP(3), n BIGINT, users BIGINT, first_user INT)
WITH ('connector' = 'filesystem', 'path' = 'tumbling', 'format' = 'json');
INSERT INTO tumbling SELECT shop, window_end, COUNT(*), COUNT(DISTINCT user_id), FIRST_VALUE(user_id)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY shop, window_start, window_end;

CREATE TABLE hopping (e TIMESTAMP(3), users BIGINT, total DECIMAL(38, 2))
WITH ('connector' = 'filesystem', 'path' = 'hopping', 'format' = 'csv');
INSERT INTO hopping SELECT window_end, COUNT(DISTINCT user_id), SUM(price)
FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '20' MINUTES))
GROUP BY window_start, window_end;

CREATE TABLE cumulated (shop STRING, e TIMESTAMP(3), users BIGINT, total DECIMAL(38, 2))
WITH ('connector' = 'filesystem', 'path' = 'cumulated', 'format' = 'json');
INSERT INTO cumulated SELECT shop, window_end, COUNT(DISTINCT user_id), SUM(price)
FROM TABLE(CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;

CREATE TABLE sessions (shop STRING, s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT, users BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'sessions', 'format' = 'json');
INSERT INTO sessions SELECT shop, window_start, window_end, COUNT(*), COUNT(DISTINCT user_id)
FROM TABLE(SESSION(TABLE events PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '9' MINUTES))
GROUP BY shop, window_start, window_end;
