CREATE TABLE events (payload STRING) WITH ('connector' = 'filesystem', 'path' = '/data/events', 'format' = 'json');

CREATE TABLE results (
    id STRING, price DOUBLE
) WITH ('connector' = 'filesystem', 'path' = '/data/results', 'format' = 'json');

INSERT INTO results
SELECT JSON_VALUE(payload, '$.id'), JSON_VALUE(payload, '$.price' RETURNING DOUBLE) FROM events;
