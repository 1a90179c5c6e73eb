CREATE TABLE events (shop STRING, user_id INT, price INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'json');

CREATE TABLE recent (shop STRING, ts TIMESTAMP(3), total INT, following BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'recent', 'format' = 'json');
INSERT INTO recent SELECT shop, ts,
  SUM(price) OVER (PARTITION BY shop ORDER BY ts RANGE BETWEEN INTERVAL '15' MINUTES PRECEDING AND CURRENT ROW),
  COUNT(user_id) OVER (PARTITION BY shop ORDER BY ts ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING)
FROM events;

CREATE TABLE three (shop STRING, ts TIMESTAMP(3), total INT)
WITH ('connector' = 'filesystem', 'path' = 'three', 'format' = 'json');
INSERT INTO three SELECT shop, ts,
  SUM(price) OVER (PARTITION BY shop ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)
FROM events;

CREATE VIEW minutes AS SELECT shop, window_time AS at, COUNT(*) AS n, SUM(price) AS total
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
GROUP BY shop, window_start, window_end, window_time;
CREATE TABLE cascade (shop STRING, e TIMESTAMP(3), windows BIGINT, n BIGINT, most INT)
WITH ('connector' = 'filesystem', 'path' = 'cascade', 'format' = 'json');
INSERT INTO cascade SELECT shop, window_end, COUNT(*), SUM(n), MAX(total)
FROM TABLE(CUMULATE(TABLE minutes, DESCRIPTOR(at), INTERVAL '30' MINUTES, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;
