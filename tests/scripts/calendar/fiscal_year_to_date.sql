-- A fiscal year that begins in April, by month.
-- Needs: 1
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.json', 'format' = 'json');
CREATE TABLE fiscal (window_start TIMESTAMP(3), window_end TIMESTAMP(3), amount BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/fiscal', 'format' = 'json');
INSERT INTO fiscal
SELECT window_start, window_end, SUM(amount)
FROM TABLE(CUMULATE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MONTH, INTERVAL '1' YEAR, INTERVAL '3' MONTH))
GROUP BY window_start, window_end;
