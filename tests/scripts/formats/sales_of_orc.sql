-- Daily sales of files in ORC.
-- Needs: 4
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.orc', 'format' = 'orc');
CREATE TABLE daily (shop STRING, window_start TIMESTAMP(3), amount BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/daily', 'format' = 'json');
INSERT INTO daily
SELECT shop, window_start, SUM(amount)
FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '30' DAY))
GROUP BY shop, window_start, window_end;
