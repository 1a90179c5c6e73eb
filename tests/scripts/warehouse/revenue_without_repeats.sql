-- Orders that were sent twice count once.
-- Needs: 2
CREATE TABLE orders (
    order_id BIGINT, user_id BIGINT, shop STRING, item STRING, price DECIMAL(10, 2), status STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '10' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE revenue (shop STRING, window_start TIMESTAMP(3), revenue DECIMAL(38, 2))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/revenue', 'format' = 'json');
CREATE VIEW sent_once AS
SELECT shop, price, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY order_id ORDER BY ts ASC) AS n FROM orders)
WHERE n = 1;
INSERT INTO revenue
SELECT shop, window_start, SUM(price)
FROM TABLE(TUMBLE(TABLE sent_once, DESCRIPTOR(ts), INTERVAL '6' HOUR))
GROUP BY shop, window_start, window_end;
