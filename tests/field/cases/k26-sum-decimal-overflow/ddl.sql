CREATE TABLE t (id INT, s STRING, d DOUBLE, m DECIMAL(10, 3), n BIGINT, i INT, f FLOAT, big DECIMAL(38, 2)) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');
