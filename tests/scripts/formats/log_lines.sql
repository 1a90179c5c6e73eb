-- Lines of a log as they are, taken apart by functions.
-- Needs: 4
CREATE TABLE log_lines (line STRING)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/logs.txt', 'format' = 'raw');
CREATE TABLE problems (at_time TIMESTAMP(3), level STRING, message STRING)
    WITH ('connector' = 'filesystem', 'path' = '${OUT}/problems', 'format' = 'json');
INSERT INTO problems
SELECT TO_TIMESTAMP(SUBSTRING(line, 1, 19)), SPLIT_INDEX(line, ' ', 2), REGEXP_EXTRACT(line, '(?:WARN|ERROR) (.*)', 1)
FROM log_lines WHERE line LIKE '% WARN %' OR line LIKE '% ERROR %';
