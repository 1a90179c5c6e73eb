"""NaN and infinity in the sums of distinct values: a window that no longer holds them has a number again."""

from __future__ import annotations

import math
from pathlib import Path

from tests.engine.reports import Stream, insert_result, plan_of, rows_of, source_file

TABLES = """
CREATE TABLE events (x DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/events', 'format' = 'json');
CREATE TABLE curve (e TIMESTAMP(3), total DOUBLE, mean DOUBLE)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/curve', 'format' = 'parquet');
INSERT INTO curve SELECT window_end, SUM(DISTINCT x), AVG(DISTINCT x)
FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR))
GROUP BY window_start, window_end
"""


def test_a_sum_without_them_is_a_number_again(spark, tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    file = tmp_path / "events" / "1.json"
    hours = {8: '"NaN"', 10: "2.0", 12: "4.0", 14: '"-Infinity"', 15: '"Infinity"', 17: "8.0"}
    file.write_text("".join(f'{{"x": {x}, "ts": "2024-06-18 {hour:02d}:10:00"}}\n' for hour, x in hours.items()))
    plan = plan_of(tmp_path, TABLES)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(file)
    stream.end()
    result = insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file)]})
    for rows in (rows_of(tmp_path / "curve"), sorted(tuple(row)[:3] for row in result.collect())):
        sums = {row[0].hour: row[1] for row in rows}
        assert math.isnan(sums.pop(9)) and math.isnan(sums.pop(10)) and math.isnan(sums.pop(16))
        assert sums == {11: 2, 12: 2, 13: 4, 14: 4, 15: -math.inf, 17: math.inf, 18: 8, 19: 8}
        assert [row[2] for row in rows if row[0].hour == 18] == [8]
