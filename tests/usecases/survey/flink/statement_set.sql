CREATE TABLE orders (
    order_id BIGINT,
    shop STRING,
    amount DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '/data/orders', 'format' = 'json');

CREATE TABLE dear (
    shop STRING, amount DECIMAL(10, 2)
) WITH ('connector' = 'filesystem', 'path' = '/data/dear', 'format' = 'json');

CREATE TABLE small (
    shop STRING, amount DECIMAL(10, 2)
) WITH ('connector' = 'filesystem', 'path' = '/data/small', 'format' = 'json');

EXECUTE STATEMENT SET
BEGIN
INSERT INTO dear SELECT shop, amount FROM orders WHERE amount >= 100;
INSERT INTO small SELECT shop, amount FROM orders WHERE amount < 100;
END;
