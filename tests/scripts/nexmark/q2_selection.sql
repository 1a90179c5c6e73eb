-- Some auctions (Nexmark 2).
CREATE TABLE bid (
    auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/bids.json', 'format' = 'json');
CREATE TABLE q2 (auction BIGINT, price BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/q2', 'format' = 'json');
INSERT INTO q2 SELECT auction, price FROM bid WHERE MOD(auction, 3) = 0;
