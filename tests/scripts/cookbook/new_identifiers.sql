-- An identifier that is new for each row.
-- Needs: 5
CREATE TABLE cities (id INT, city STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/cities.csv', 'format' = 'csv');
CREATE TABLE identified (id INT, letters INT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/identified', 'format' = 'json');
INSERT INTO identified SELECT id, CHAR_LENGTH(UUID()) FROM cities;
