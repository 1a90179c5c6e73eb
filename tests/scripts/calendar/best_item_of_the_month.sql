-- Top-N over calendar windows.
-- Needs: 1
CREATE TABLE sales (
    shop STRING, item STRING, user_id BIGINT, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales.json', 'format' = 'json');
CREATE TABLE best (window_start TIMESTAMP(3), item STRING, amount BIGINT, place BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/best', 'format' = 'json');
INSERT INTO best
SELECT window_start, item, amount, place FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY amount DESC, item) AS place FROM (
        SELECT window_start, window_end, item, SUM(amount) AS amount
        FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MONTH))
        GROUP BY window_start, window_end, item))
WHERE place <= 2;
