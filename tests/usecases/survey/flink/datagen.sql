CREATE TABLE numbers (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '10');
CREATE TABLE nowhere (n BIGINT) WITH ('connector' = 'blackhole');

INSERT INTO nowhere SELECT n FROM numbers;
