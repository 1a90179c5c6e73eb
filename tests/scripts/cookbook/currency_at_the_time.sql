-- Trades at the rate of their time (event-time temporal join).
-- Needs: 5
CREATE TABLE trades (
    id INT, currency STRING, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/trades.json', 'format' = 'json');
CREATE TABLE rates (
    currency STRING, rate DECIMAL(10, 4), ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts, PRIMARY KEY (currency) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/rates.debezium.json', 'format' = 'debezium-json');
CREATE TABLE converted (id INT, currency STRING, amount DECIMAL(38, 4))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/converted', 'format' = 'json');
INSERT INTO converted
SELECT t.id, t.currency, t.amount * r.rate
FROM trades AS t LEFT JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.currency = r.currency;
