-- Where a shop stands among all shops of the day.
-- Needs: 3
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE ranks (shop STRING, window_start TIMESTAMP(3), standing DOUBLE)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/ranks', 'format' = 'json');
INSERT INTO ranks
SELECT shop, window_start, PERCENT_RANK() OVER (PARTITION BY window_start, window_end ORDER BY revenue)
FROM (
    SELECT shop, window_start, window_end, SUM(price) AS revenue
    FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))
    GROUP BY shop, window_start, window_end);
