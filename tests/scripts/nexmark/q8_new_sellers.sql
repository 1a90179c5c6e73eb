-- Persons who sell in the window in which they came (Nexmark 8).
CREATE TABLE person (
    id BIGINT, name STRING, city STRING, state STRING, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/persons.json', 'format' = 'json');
CREATE TABLE auction (
    id BIGINT, item_name STRING, seller BIGINT, category BIGINT, reserve BIGINT, expires TIMESTAMP(3), ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/auctions.json', 'format' = 'json');
CREATE TABLE q8 (id BIGINT, name STRING, starttime TIMESTAMP(3))
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/q8', 'format' = 'json');
INSERT INTO q8
SELECT P.id, P.name, P.starttime
FROM (
    SELECT id, name, window_start AS starttime, window_end AS endtime
    FROM TABLE(TUMBLE(TABLE person, DESCRIPTOR(ts), INTERVAL '5' MINUTE))
    GROUP BY id, name, window_start, window_end) AS P
JOIN (
    SELECT seller, window_start AS starttime, window_end AS endtime
    FROM TABLE(TUMBLE(TABLE auction, DESCRIPTOR(ts), INTERVAL '5' MINUTE))
    GROUP BY seller, window_start, window_end) AS A
ON P.id = A.seller AND P.starttime = A.starttime AND P.endtime = A.endtime;
