-- Month to date on the clock of New York, whose March has a day of 23 hours.
-- Needs: 1
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE sales (
    shop STRING, amount INT, ts TIMESTAMP_LTZ(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' DAY
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sales_utc.json', 'format' = 'json');
CREATE TABLE month_to_date (window_start TIMESTAMP(3), window_end TIMESTAMP(3), amount BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/month_to_date', 'format' = 'json');
INSERT INTO month_to_date
SELECT window_start, window_end, SUM(amount)
FROM TABLE(CUMULATE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' DAY, INTERVAL '1' MONTH))
GROUP BY window_start, window_end;
