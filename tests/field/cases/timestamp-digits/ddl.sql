CREATE TABLE t (id INT, ts TIMESTAMP(6)) WITH ('connector' = 'filesystem', 'path' = 't.csv', 'format' = 'csv');
