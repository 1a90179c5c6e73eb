CREATE TABLE events (shop INT, user_id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');

CREATE TABLE early (shop INT, e TIMESTAMP(3), n BIGINT, users BIGINT, kind STRING, PRIMARY KEY (shop, e) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'early', 'format' = 'json', 'first-result' = '-15 min',
  'update-rate' = '5 min', 'late-updates' = 'on', 'last-result' = '30 min', 'result-state' = 'kind');
INSERT INTO early SELECT shop, window_end, COUNT(*), COUNT(DISTINCT user_id)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '30' MINUTES)) GROUP BY shop, window_start, window_end;

CREATE TABLE changes (shop INT, e TIMESTAMP(3), n BIGINT, PRIMARY KEY (shop, e) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'changes', 'format' = 'debezium-json', 'first-result' = '-20 min',
  'late-updates' = 'on', 'last-result' = '30 min');
INSERT INTO changes SELECT shop, window_end, COUNT(*)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '30' MINUTES)) GROUP BY shop, window_start, window_end;
