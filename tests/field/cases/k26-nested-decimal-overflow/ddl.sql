CREATE TABLE t (id INT, a ARRAY<DECIMAL(5,2)>, r ROW<x DECIMAL(5,2), y INT>, m MAP<STRING, DECIMAL(5,2)>) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');
