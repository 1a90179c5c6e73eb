SET 'table.exec.state.unbounded' = 'allow';
CREATE TABLE events (shop STRING, amount DECIMAL(38, 18), n BIGINT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv', 'source.monitor-interval' = '1s');

CREATE TABLE cumulating (shop STRING, e TIMESTAMP(3), total DECIMAL(38, 18), mean DECIMAL(38, 18), spread BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'cumulating', 'format' = 'json');
INSERT INTO cumulating SELECT shop, window_end, SUM(amount), AVG(amount), VAR_POP(n)
FROM TABLE(CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;

CREATE TABLE running (shop STRING, ts TIMESTAMP(3), total DECIMAL(38, 18), recent DECIMAL(38, 18))
WITH ('connector' = 'filesystem', 'path' = 'running', 'format' = 'json');
INSERT INTO running SELECT shop, ts, SUM(amount) OVER (PARTITION BY shop ORDER BY ts),
    SUM(DISTINCT amount) OVER (PARTITION BY shop ORDER BY ts RANGE BETWEEN INTERVAL '30' MINUTES PRECEDING AND CURRENT ROW)
FROM events;

CREATE TABLE grouped (shop STRING, total DECIMAL(38, 18), mean DECIMAL(38, 18))
WITH ('connector' = 'filesystem', 'path' = 'grouped', 'format' = 'debezium-json');
INSERT INTO grouped SELECT shop, SUM(amount), AVG(amount) FROM events GROUP BY shop;
