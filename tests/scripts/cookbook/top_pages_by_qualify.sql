-- The best pages of each window by QUALIFY.
-- Needs: 5
CREATE TABLE clicks (
    user_id INT, page STRING, channel STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/clicks.csv', 'format' = 'csv');
CREATE TABLE top_pages (window_start TIMESTAMP(3), page STRING, clicks BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/top_pages', 'format' = 'json');
INSERT INTO top_pages
SELECT window_start, page, clicks FROM (
    SELECT window_start, window_end, page, COUNT(*) AS clicks
    FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '20' MINUTE))
    GROUP BY window_start, window_end, page)
QUALIFY ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY clicks DESC, page) <= 2;
