CREATE TABLE events (id INT, region STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');
CREATE TABLE places (id INT, region STRING, PRIMARY KEY (id, region) NOT ENFORCED) PARTITIONED BY (region)
WITH ('connector' = 'filesystem', 'path' = 'places', 'format' = 'json');
INSERT INTO places SELECT id, region FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts DESC) AS n FROM events) WHERE n = 1;
