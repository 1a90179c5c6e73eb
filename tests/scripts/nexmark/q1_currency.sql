-- Prices in another currency (Nexmark 1).
CREATE TABLE bid (
    auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/bids.json', 'format' = 'json');
CREATE TABLE q1 (auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), ts TIMESTAMP(3))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/q1', 'format' = 'json');
INSERT INTO q1 SELECT auction, bidder, 0.908 * price, ts FROM bid;
