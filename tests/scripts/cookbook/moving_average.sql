-- A moving average of each sensor.
CREATE TABLE readings (
    sensor STRING, celsius DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sensors.csv', 'format' = 'csv');
CREATE TABLE moving (sensor STRING, ts TIMESTAMP(3), average DOUBLE)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/moving', 'format' = 'json');
INSERT INTO moving
SELECT sensor, ts, ROUND(AVG(celsius) OVER (
    PARTITION BY sensor ORDER BY ts RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING AND CURRENT ROW), 6)
FROM readings;
