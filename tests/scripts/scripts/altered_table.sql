-- An option that is changed after the declaration.
-- Needs: 6
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/elsewhere.csv', 'format' = 'csv');
CREATE TABLE copies (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/copies', 'format' = 'json');
ALTER TABLE cities SET ('path' = '${DATA}/cities.csv');
INSERT INTO copies SELECT id, city FROM cities;
