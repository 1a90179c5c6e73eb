-- The difference of two times as an interval.
-- Needs: 5
CREATE TABLE auction (
    id BIGINT, item_name STRING, seller BIGINT, category BIGINT, reserve BIGINT, expires TIMESTAMP(3), ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/auctions.json', 'format' = 'json');
CREATE TABLE open_for (id BIGINT, is_long BOOLEAN)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/open_for', 'format' = 'json');
INSERT INTO open_for
SELECT id, (expires - ts) DAY TO SECOND > INTERVAL '0 00:01:59' DAY TO SECOND FROM auction;
