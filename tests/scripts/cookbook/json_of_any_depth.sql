-- A JSON path that descends.
-- Needs: 5
CREATE TABLE events (
    id INT, body STRING, ts TIMESTAMP(3)
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/events.json', 'format' = 'json');
CREATE TABLE found (id INT, x STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/found', 'format' = 'json');
INSERT INTO found SELECT id, JSON_QUERY(body, '$..x') FROM events;
