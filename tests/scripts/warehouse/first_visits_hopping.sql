-- New users of the last 40 minutes by channel, each 20.
-- Needs: 2
CREATE TABLE clicks (
    user_id INT, page STRING, channel STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/clicks.csv', 'format' = 'csv');
CREATE TABLE visits (window_start TIMESTAMP(3), window_end TIMESTAMP(3), channel STRING, visitors BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/visits', 'format' = 'json');
CREATE VIEW first_clicks AS
SELECT user_id, channel, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts ASC) AS n FROM clicks)
WHERE n = 1;
INSERT INTO visits
SELECT window_start, window_end, channel, COUNT(*)
FROM TABLE(HOP(TABLE first_clicks, DESCRIPTOR(ts), INTERVAL '20' MINUTE, INTERVAL '40' MINUTE))
GROUP BY window_start, window_end, channel;
