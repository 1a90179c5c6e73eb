-- A view that is dropped after its use.
-- Needs: 6
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE upper_cities (city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/upper_cities', 'format' = 'json');
CREATE TEMPORARY VIEW shouted AS SELECT UPPER(city) AS city FROM cities;
INSERT INTO upper_cities SELECT city FROM shouted;
DROP TEMPORARY VIEW shouted;
