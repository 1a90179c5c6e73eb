-- The time of the run beside each row.
-- Needs: 5
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE stamped (id INT, is_now BOOLEAN)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/stamped', 'format' = 'json');
INSERT INTO stamped SELECT id, UNIX_TIMESTAMP() > 1700000000 FROM cities;
