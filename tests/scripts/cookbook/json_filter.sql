-- A JSON path with a condition.
-- Needs: 5
CREATE TABLE events (
    id INT, body STRING, ts TIMESTAMP(3)
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/events.json', 'format' = 'json');
CREATE TABLE found (id INT, many STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/found', 'format' = 'json');
INSERT INTO found SELECT id, JSON_QUERY(body, '$.items[?(@.n > 1)].sku' WITH WRAPPER) FROM events;
