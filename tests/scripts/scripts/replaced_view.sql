-- A view that is replaced.
-- Needs: 6
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE copies (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/copies', 'format' = 'json');
CREATE VIEW chosen AS SELECT id, city FROM cities WHERE id = 1;
CREATE OR REPLACE VIEW chosen AS SELECT id, city FROM cities WHERE id > 1;
INSERT INTO copies SELECT id, city FROM chosen;
