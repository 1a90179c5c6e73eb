CREATE TABLE events (
  id INT, doc STRING, items ARRAY<ROW<x INT>>, amount AS JSON_VALUE(doc, '$.n'), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES
) WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'json');

CREATE TABLE tumbling (e TIMESTAMP(3), n BIGINT, amounts BIGINT, greatest_amount STRING, docs BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'tumbling', 'format' = 'json');
INSERT INTO tumbling SELECT window_end, COUNT(*), COUNT(DISTINCT amount), MAX(amount), COUNT(DISTINCT JSON_QUERY(doc, '$'))
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY window_start, window_end;

CREATE VIEW parts AS SELECT id, ts, x FROM events CROSS JOIN UNNEST(items) AS u (x);
CREATE TABLE unnested (e TIMESTAMP(3), n BIGINT, xs BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'unnested', 'format' = 'json');
INSERT INTO unnested SELECT window_end, COUNT(*), SUM(x)
FROM TABLE(TUMBLE(TABLE parts, DESCRIPTOR(ts), INTERVAL '20' MINUTES)) GROUP BY window_start, window_end;

CREATE TABLE passed (id INT, amount STRING, doc STRING)
WITH ('connector' = 'filesystem', 'path' = 'passed', 'format' = 'json');
INSERT INTO passed SELECT id, amount, JSON_QUERY(doc, '$') FROM events;

CREATE TABLE counted (amount STRING, n BIGINT, PRIMARY KEY (amount) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = 'counted', 'format' = 'json');
INSERT INTO counted SELECT amount, COUNT(*) FROM events WHERE amount IS NOT NULL GROUP BY amount;
