-- How many pages a session has.
CREATE TABLE clicks (
    user_id INT, page STRING, channel STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/clicks.csv', 'format' = 'csv');
CREATE TABLE paths (user_id INT, window_start TIMESTAMP(3), clicks BIGINT, pages BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/paths', 'format' = 'json');
INSERT INTO paths
SELECT user_id, window_start, COUNT(*), COUNT(DISTINCT page)
FROM TABLE(SESSION(TABLE clicks PARTITION BY user_id, DESCRIPTOR(ts), INTERVAL '5' MINUTE))
GROUP BY user_id, window_start, window_end;
