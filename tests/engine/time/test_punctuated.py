"""Punctuated streams: a Python function proposes a watermark, or NULL where a row says nothing about time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_nrt.engine.verify.verify import verify
from tests.engine.reports import MINUTE, MORNING, Stream, clock, plan_of, write_lines
from tests.python_modules import write_module

MODULE = """
    from __future__ import annotations
    from datetime import datetime, timedelta

    EPOCH = datetime(1970, 1, 1)

    def on_flag(at: datetime, last: bool | None) -> datetime | None:
        return at if last else None

    def in_milliseconds(at: datetime, last: bool | None) -> int | None:
        return (at - EPOCH) // timedelta(milliseconds=1) if last else None
"""
REPORT = """
CREATE TEMPORARY SYSTEM FUNCTION watermarkOnFlag AS '{module}.{function}' LANGUAGE PYTHON;
CREATE TABLE events (n INT, flag BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS watermarkOnFlag(ts, flag))
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/events', 'format' = 'json');
CREATE TABLE sums (window_end TIMESTAMP(3), n INT)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/sums', 'format' = 'json');
INSERT INTO sums SELECT window_end, SUM(n)
FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;
"""
ROW = st.tuples(st.integers(0, 5 * MINUTE), st.sampled_from([True, False, None]))
BATCHES = st.lists(st.lists(ROW, min_size=1, max_size=4), min_size=1, max_size=4)


@settings(max_examples=2)
@given(batches=BATCHES, function=st.sampled_from(["on_flag", "in_milliseconds"]))
def test_the_watermark_never_goes_back(spark, tmp_path_factory, batches, function: str) -> None:
    place: Path = tmp_path_factory.mktemp("punctuated")
    module = write_module(place, MODULE)
    stream = Stream(spark, plan_of(place, REPORT.format(module=module, function=function)), place / "home")
    watermark, expected = None, {}
    for number, batch in enumerate(batches):
        for n, (offset, _) in enumerate(batch, 1):
            end = offset // MINUTE * MINUTE + MINUTE
            if watermark is None or watermark < MORNING + end - 1:
                expected[clock(MORNING + end)] = expected.get(clock(MORNING + end), 0) + n
        lines = [
            json.dumps({"n": n, "flag": flag, "ts": clock(MORNING + offset)})
            for n, (offset, flag) in enumerate(batch, 1)
        ]
        stream.absorb(write_lines(place / "events" / f"{number}.json", lines))
        proposed = [MORNING + offset for offset, flag in batch if flag]
        watermark = max([*proposed, *([] if watermark is None else [watermark])], default=None)
        assert stream.driver.position.sources["events"].watermark == watermark
    stream.end()
    files = (place / "sums").rglob("*.json")
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert {row["window_end"]: row["n"] for row in rows} == expected
    assert verify(spark, stream.plan, stream.home).is_proven
    shutil.rmtree(place)
