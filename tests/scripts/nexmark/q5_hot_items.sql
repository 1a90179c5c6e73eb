-- Auctions with most bids in the last ten seconds (Nexmark 5).
CREATE TABLE bid (
    auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/bids.json', 'format' = 'json');
CREATE TABLE q5 (auction BIGINT, num BIGINT, starttime TIMESTAMP(3))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/q5', 'format' = 'json');
INSERT INTO q5
SELECT AuctionBids.auction, AuctionBids.num, AuctionBids.starttime
FROM (
    SELECT auction, COUNT(*) AS num, window_start AS starttime, window_end AS endtime
    FROM TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '1' MINUTE))
    GROUP BY auction, window_start, window_end) AS AuctionBids
JOIN (
    SELECT MAX(CountBids.num) AS maxn, CountBids.starttime, CountBids.endtime
    FROM (
        SELECT COUNT(*) AS num, window_start AS starttime, window_end AS endtime
        FROM TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '1' MINUTE))
        GROUP BY auction, window_start, window_end) AS CountBids
    GROUP BY CountBids.starttime, CountBids.endtime) AS MaxBids
ON AuctionBids.starttime = MaxBids.starttime AND AuctionBids.endtime = MaxBids.endtime AND AuctionBids.num >= MaxBids.maxn;
