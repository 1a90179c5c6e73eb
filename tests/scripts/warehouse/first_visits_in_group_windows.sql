-- The same with the older group windows.
-- Needs: 2
CREATE TABLE clicks (
    user_id INT, page STRING, channel STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/clicks.csv', 'format' = 'csv');
CREATE TABLE visits (window_start TIMESTAMP(3), channel STRING, visitors BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/visits', 'format' = 'json');
INSERT INTO visits
SELECT TUMBLE_START(ts, INTERVAL '20' MINUTE), channel, COUNT(*)
FROM (SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts ASC) AS n FROM clicks)
    WHERE n = 1)
GROUP BY TUMBLE(ts, INTERVAL '20' MINUTE), channel;
