"""Rowtimes and watermarks beyond a plain column: inside a ROW, computed, in milliseconds, punctuated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import MINUTE, MORNING, Stream, clock, plan_of, write_lines

COLUMNS = "n BIGINT, `last` BOOLEAN, w BIGINT, event ROW<log_ts TIMESTAMP(3), item STRING>"
NESTED = "event.log_ts"
WATERMARKS = {
    "FLIP-66's interval": ("", NESTED, f"{NESTED} - '5' SECOND"),
    "computed": (", ts AS event.log_ts", "ts", "ts - INTERVAL '5' SECOND"),
    "milliseconds": ("", NESTED, "w - 5000"),
    "punctuated": ("", NESTED, f"CASE WHEN `last` THEN {NESTED} - INTERVAL '5' SECOND END"),
    "punctuated in milliseconds": (", ts AS event.log_ts", "ts", "CASE WHEN `last` THEN w - 5000 END"),
    "of another computed column": (f", mark AS {NESTED} - INTERVAL '5' SECOND", NESTED, "mark"),
}


def source(kind: str, place: str) -> str:
    computed, rowtime, strategy = WATERMARKS[kind]
    options = f"'connector' = 'filesystem', 'path' = '{place}', 'format' = 'json'"
    return f"CREATE TABLE events ({COLUMNS}{computed}, WATERMARK FOR {rowtime} AS {strategy}) WITH ({options});\n"


def row(n: int, at: int, last: bool = False) -> str:
    entry: dict[str, Any] = {"n": n, "last": last, "w": at, "event": {"log_ts": clock(at), "item": "ab"[n % 2]}}
    return json.dumps(entry)


@pytest.mark.parametrize("kind", WATERMARKS)
def test_lateness_follows_the_watermark(spark, tmp_path: Path, kind: str) -> None:
    """Three batches; the second one's row is late unless only the `last` of a batch proposes a watermark."""
    sink = "CREATE TABLE sums (window_start TIMESTAMP(3), n BIGINT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/sums', 'format' = 'json');\n"  # noqa: E501
    insert = f"INSERT INTO sums SELECT window_start, SUM(n) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR({WATERMARKS[kind][1]}), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;"  # noqa: E501
    stream = Stream(spark, plan_of(tmp_path, source(kind, "${DATA}/events"), sink, insert), tmp_path / "home")
    batches = [
        [row(1, MORNING + 1000, last=True), row(2, MORNING + 2 * MINUTE)],
        [row(4, MORNING + 2000)],
        [row(8, MORNING + 3 * MINUTE, last=True), row(16, MORNING + 3 * MINUTE - 1)],
    ]
    watermarks = []
    for number, lines in enumerate(batches):
        stream.absorb(write_lines(tmp_path / "events" / f"{number}.json", lines))
        watermarks.append(stream.driver.position.sources["events"].watermark)
    punctuated = kind.startswith("punctuated")
    first = MORNING + 1000 if punctuated else MORNING + 2 * MINUTE
    assert watermarks == [first - 5000, first - 5000, MORNING + 3 * MINUTE - 5000]
    stream.end()
    rows = [json.loads(line) for file in (tmp_path / "sums").rglob("*.json") for line in file.read_text().splitlines()]
    assert sorted(entry["n"] for entry in rows) == sorted([5 if punctuated else 1, 18, 8])
    assert verify(spark, stream.plan, stream.home).is_proven


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_metadata_names_the_file(spark, tmp_path: Path, mode: str) -> None:
    file = write_lines(tmp_path / "a b+c%20ü" / "x.json", [row(1, MORNING)])
    ddl = source("computed", "a b+c%20ü").replace(
        COLUMNS, f"{COLUMNS}, p STRING METADATA FROM 'file.path', `file.name` STRING METADATA"
    )
    (line,) = run_bounded(spark, plan_query(ddl, "SELECT p, `file.name`, ts FROM events", tmp_path), mode)
    assert json.loads(line) == {"p": f"file:{file}", "file.name": "x.json", "ts": clock(MORNING)}


def test_metadata_tells_of_the_file(spark, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "events" / "x.json", [row(1, MORNING)], at=(MORNING + 1234) * 10**6)
    more = "`file.size` BIGINT METADATA, written TIMESTAMP_LTZ(3) METADATA FROM 'file.modification-time'"
    ddl = source("computed", "events").replace(COLUMNS, f"{COLUMNS}, {more}")
    (line,) = run_bounded(spark, plan_query(ddl, "SELECT `file.size`, written FROM events", tmp_path), "batch")
    assert json.loads(line) == {"file.size": file.stat().st_size, "written": f"{clock(MORNING + 1234)}Z"}


@pytest.mark.parametrize(
    ("column", "watermark"),
    [
        ("ts AS SYSTEM_ROWTIME()", "SYSTEM_WATERMARK()"),
        ("ts TIMESTAMP_LTZ(3) METADATA FROM 'file.modification-time'", "SOURCE_WATERMARK()"),
    ],
)
def test_files_give_their_rows_the_time_when_they_were_written(
    spark, tmp_path: Path, column: str, watermark: str
) -> None:
    options = "'connector' = 'filesystem', 'path' = '${DATA}/%s', 'format' = 'json'"
    events = f"CREATE TABLE events (n BIGINT, {column}, WATERMARK FOR ts AS {watermark}) WITH ({options % 'events'});\n"
    sink = f"CREATE TABLE sums (at TIMESTAMP(3), n BIGINT) WITH ({options % 'sums'});\n"
    insert = "INSERT INTO sums SELECT window_start, SUM(n) FROM TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE) GROUP BY window_start, window_end;"  # noqa: E501
    stream = Stream(spark, plan_of(tmp_path, events, sink, insert), tmp_path / "home")
    watermarks = []
    for number, at in enumerate((1000, 2 * MINUTE, 2000, 3 * MINUTE)):
        lines = [json.dumps({"n": 2**number})] * 2
        stream.absorb(write_lines(tmp_path / "events" / f"{number}.json", lines, at=(MORNING + at) * 10**6))
        watermarks.append(stream.driver.position.sources["events"].watermark)
    newest = MORNING + 2 * MINUTE - 1
    assert watermarks == [MORNING + 999, newest, newest, MORNING + 3 * MINUTE - 1]
    stream.end()
    rows = [json.loads(line) for file in (tmp_path / "sums").rglob("*.json") for line in file.read_text().splitlines()]
    # The third file came with a time that was over, as one that was copied together with its time.
    assert sorted(entry["n"] for entry in rows) == [2, 4, 16]
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 2
