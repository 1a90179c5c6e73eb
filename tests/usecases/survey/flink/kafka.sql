-- Counts what a topic brings.
CREATE TABLE clicks (
    page STRING,
    ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp',
    WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (
    'connector' = 'kafka', 'topic' = 'clicks', 'scan.startup.mode' = 'latest-offset',
    'properties.bootstrap.servers' = 'broker:9092', 'format' = 'json'
);

CREATE TABLE results (
    page STRING, n BIGINT
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT page, COUNT(*) FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY page, window_start, window_end;
