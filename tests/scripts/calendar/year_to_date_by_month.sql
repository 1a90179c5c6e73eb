-- Sales since the first of January, at the end of each month.
-- Needs: 1
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.json', 'format' = 'json');
CREATE TABLE year_to_date (window_start TIMESTAMP(3), window_end TIMESTAMP(3), amount BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/year_to_date', 'format' = 'json');
INSERT INTO year_to_date
SELECT window_start, window_end, SUM(amount)
FROM TABLE(CUMULATE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MONTH, INTERVAL '1' YEAR))
GROUP BY window_start, window_end;
