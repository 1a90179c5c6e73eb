-- Text files of Hive, whose fields are separated by ^A.
-- Needs: 4
CREATE TABLE clicks (
    user_id INT, page STRING, channel STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/clicks.ctrl_a.csv', 'format' = 'csv', 'csv.field-delimiter' = U&'\0001');
CREATE TABLE pages (window_start TIMESTAMP(3), page STRING, clicks BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/pages', 'format' = 'json');
INSERT INTO pages
SELECT window_start, page, COUNT(*)
FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '15' MINUTE))
GROUP BY window_start, window_end, page;
