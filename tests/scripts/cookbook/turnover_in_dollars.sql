-- Windows above a temporal join.
-- Needs: 5
CREATE TABLE trades (
    id INT, currency STRING, amount INT, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/trades.json', 'format' = 'json');
CREATE TABLE rates (
    currency STRING, rate DECIMAL(10, 4), ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts, PRIMARY KEY (currency) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/rates.debezium.json', 'format' = 'debezium-json');
CREATE TABLE turnover (window_start TIMESTAMP(3), currency STRING, dollars DECIMAL(38, 4))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/turnover', 'format' = 'json');
CREATE VIEW converted AS
SELECT t.ts, t.currency, t.amount * r.rate AS dollars
FROM trades AS t JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.currency = r.currency;
INSERT INTO turnover
SELECT window_start, currency, SUM(dollars)
FROM TABLE(TUMBLE(TABLE converted, DESCRIPTOR(ts), INTERVAL '30' MINUTE))
GROUP BY window_start, window_end, currency;
