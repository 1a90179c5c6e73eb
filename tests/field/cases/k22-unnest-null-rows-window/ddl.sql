CREATE TABLE t (id INT, ts TIMESTAMP(3), a ARRAY<INT>, r ARRAY<ROW<x INT, y STRING>>, m MAP<STRING, ROW<x INT, y STRING>>, n ARRAY<ROW<k STRING, l ARRAY<ROW<x INT, y STRING>>>>, aa ARRAY<ARRAY<INT>>, am ARRAY<MAP<STRING, INT>>, o ARRAY<ROW<x INT>>, WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = 't.json', 'format' = 'json');
CREATE VIEW inner_rows AS SELECT ts, id, x FROM t CROSS JOIN UNNEST(r) AS u (x, y);
CREATE VIEW left_rows AS SELECT ts, id, x FROM t LEFT JOIN UNNEST(r) AS u (x, y) ON TRUE;
