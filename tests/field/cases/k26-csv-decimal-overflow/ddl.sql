CREATE TABLE t (id INT, a DECIMAL(5,2), b DECIMAL(5,2)) WITH ('connector' = 'filesystem', 'path' = 't.csv', 'format' = 'csv', 'csv.null-literal'='');
