-- A JSON path with a name in quotes.
CREATE TABLE events (
    id INT, body STRING, ts TIMESTAMP(3)
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/events.json', 'format' = 'json');
CREATE TABLE found (id INT, name STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/found', 'format' = 'json');
INSERT INTO found SELECT id, JSON_VALUE(body, '$.user[''full name'']') FROM events;
