CREATE TABLE visits (user_id INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE)
WITH ('connector' = 'filesystem', 'path' = 'visits', 'format' = 'csv');
CREATE TABLE users (ends TIMESTAMP(3), users BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'users', 'format' = 'json');
CREATE VIEW firsts AS SELECT user_id, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id, FLOOR(ts TO HOUR) ORDER BY pt) AS n FROM visits) WHERE n = 1;
INSERT INTO users SELECT window_end, COUNT(*)
FROM CUMULATE(TABLE firsts, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR) GROUP BY window_start, window_end;
