CREATE TABLE events (id INT, doc STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'json');

CREATE TABLE tumbling (e TIMESTAMP(3), n BIGINT, amount STRING)
WITH ('connector' = 'filesystem', 'path' = 'tumbling', 'format' = 'json');
INSERT INTO tumbling SELECT window_end, COUNT(DISTINCT JSON_VALUE(doc, '$.n')), JSON_VALUE(MAX(doc), '$.n')
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY window_start, window_end;

CREATE TABLE newest (id INT, amount STRING, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'newest', 'format' = 'json');
INSERT INTO newest SELECT id, JSON_VALUE(doc, '$.n') FROM (
  SELECT id, LAST_VALUE(doc) AS doc FROM events GROUP BY id
);
