-- The highest bid of each window (Nexmark 7).
CREATE TABLE bid (
    auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/bids.json', 'format' = 'json');
CREATE TABLE q7 (auction BIGINT, price BIGINT, bidder BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/q7', 'format' = 'json');
INSERT INTO q7
SELECT B.auction, B.price, B.bidder
FROM (
    SELECT auction, price, bidder, window_start, window_end
    FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) AS B
JOIN (
    SELECT MAX(price) AS maxprice, window_start, window_end
    FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
    GROUP BY window_start, window_end) AS H
ON B.price = H.maxprice AND B.window_start = H.window_start AND B.window_end = H.window_end;
