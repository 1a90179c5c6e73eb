-- Constant rows beside those of a table.
-- Needs: 5
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE all_cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/all_cities', 'format' = 'json');
INSERT INTO all_cities SELECT id, city FROM cities UNION ALL VALUES (0, 'unknown'), (9, 'elsewhere');
