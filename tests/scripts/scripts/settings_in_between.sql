-- Settings that are changed and taken back.
-- Needs: 6
SET 'parallelism.default' = '4';
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE copies (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/copies', 'format' = 'json');
SET 'pipeline.name' = 'copies of cities';
INSERT INTO copies SELECT id, city FROM cities;
RESET 'pipeline.name';
SET 'parallelism.default' = '1';
