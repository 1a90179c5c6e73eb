-- The last bid of each bidder on each auction (Nexmark 18).
CREATE TABLE bid (
    auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/bids.json', 'format' = 'json');
CREATE TABLE q18 (auction BIGINT, bidder BIGINT, price BIGINT, ts TIMESTAMP(3), PRIMARY KEY (auction, bidder) NOT ENFORCED)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/q18', 'format' = 'json');
SET 'table.exec.state.unbounded' = 'allow';
INSERT INTO q18
SELECT auction, bidder, price, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY ts DESC) AS rank_number FROM bid)
WHERE rank_number <= 1;
