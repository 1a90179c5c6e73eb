-- A partition that is written anew.
-- Needs: 6
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE ods_cities (id INT, city STRING, ds STRING) PARTITIONED BY (ds)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/ods_cities', 'format' = 'json');
SET 'execution.runtime-mode' = 'batch';
INSERT OVERWRITE ods_cities PARTITION (ds = '2024-03-01') SELECT id, city FROM cities;
