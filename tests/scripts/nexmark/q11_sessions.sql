-- Bids of a user while active (Nexmark 11).
CREATE TABLE bid (
    auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/bids.json', 'format' = 'json');
CREATE TABLE q11 (bidder BIGINT, bids BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/q11', 'format' = 'json');
INSERT INTO q11
SELECT B.bidder, COUNT(*), SESSION_START(B.ts, INTERVAL '30' SECOND), SESSION_END(B.ts, INTERVAL '30' SECOND)
FROM bid AS B GROUP BY B.bidder, SESSION(B.ts, INTERVAL '30' SECOND);
