-- Sales since the beginning of the quarter, at the end of each day.
-- Needs: 1
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.json', 'format' = 'json');
CREATE TABLE quarter_to_date (window_start TIMESTAMP(3), window_end TIMESTAMP(3), amount BIGINT, best INT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/quarter_to_date', 'format' = 'json');
INSERT INTO quarter_to_date
SELECT window_start, window_end, SUM(amount), MAX(amount)
FROM TABLE(CUMULATE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '1' QUARTER))
GROUP BY window_start, window_end;
