"""Windows over processing time: rows lie in them by the clock of their batch, and the clock alone completes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError, InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.backfill_checks import check_backfill
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Tick
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import HOUR, MINUTE, MORNING, clock, plan_of, write_lines
from tests.engine.time.live import EVENTS, Live

SUMS = """
CREATE TABLE sums (window_start TIMESTAMP(3), n INT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/sums', 'format' = 'json');
"""
QUERIES = {
    "TVF": "SELECT window_start, SUM(n) FROM TABLE({window}) GROUP BY window_start, window_end",
    "in GROUP BY": "SELECT TUMBLE_START(pt, INTERVAL '1' MINUTE), SUM(n) FROM events GROUP BY TUMBLE(pt, INTERVAL '1' MINUTE)",  # noqa: E501
    "PROCTIME() in SELECT": "SELECT window_start, SUM(n) FROM TABLE(TUMBLE((SELECT n, PROCTIME() AS p FROM events), DESCRIPTOR(p), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end",  # noqa: E501
}
TUMBLE = "TUMBLE(TABLE events, DESCRIPTOR(pt), INTERVAL '1' MINUTE)"


def report(query: str, proctime: str = "PROCTIME", window: str = TUMBLE) -> tuple[str, str, str]:
    return EVENTS.format(proctime=proctime), SUMS, f"INSERT INTO sums {query.format(window=window)};"


@pytest.fixture
def live(spark, tmp_path: Path) -> Iterator[Live]:
    yield Live(spark, tmp_path, plan_of(tmp_path, *report(QUERIES["TVF"])))


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("proctime", ["PROCTIME", "SYSTEM_PROCTIME"])
def test_the_clock_decides(spark, tmp_path: Path, query: str, proctime: str) -> None:
    live = Live(spark, tmp_path, plan_of(tmp_path, *report(QUERIES[query], proctime)))
    live.absorb(MORNING, 1)
    live.absorb(MORNING + MINUTE - 1, 2)
    live.pass_time(MORNING + MINUTE - 1)
    assert live.rows() == []
    live.absorb(MORNING + MINUTE, 4)
    assert live.rows() == [[clock(MORNING), 3]]
    live.stream.end()
    assert live.rows() == [[clock(MORNING), 3]], "as in Flink, the end of the input is not the end of time"
    verdict = verify(spark, live.plan, live.stream.home)
    assert verdict.is_proven
    assert (verdict.inserts[0].windows, verdict.inserts[0].pending, verdict.late_rows) == (1, 1, 0)


def test_a_tick_fires_without_data(live: Live) -> None:
    live.absorb(MORNING, 1)
    before = len(live.stream.entries)
    live.pass_time(MORNING + MINUTE - 1)
    assert len(live.stream.entries) == before, "nothing was due"
    live.pass_time(MORNING + 5 * MINUTE)
    assert live.rows() == [[clock(MORNING), 1]]
    assert all(isinstance(entry.body, Tick) for entry in live.stream.entries[before:])
    count = len(live.stream.entries)
    live.pass_time(MORNING + HOUR)
    assert len(live.stream.entries) == count, "no window has rows"
    live.absorb(MORNING + HOUR, 2)
    live.pass_time(MORNING + 2 * HOUR)
    assert live.rows() == [[clock(MORNING), 1], [clock(MORNING + HOUR), 2]]
    assert verify(live.spark, live.plan, live.stream.home).is_proven


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("HOP(TABLE events, DESCRIPTOR(pt), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)", [[-1, 1], [0, 3], [1, 2]]),
        ("SESSION(TABLE events, DESCRIPTOR(pt), INTERVAL '2' MINUTE)", [[0, 3]]),
        ("CUMULATE(TABLE events, DESCRIPTOR(pt), INTERVAL '1' MINUTE, INTERVAL '3' MINUTE)", [[0, 1], [0, 3], [0, 3]]),
    ],
)
def test_other_windows(spark, tmp_path: Path, window: str, expected: list[list[int]]) -> None:
    live = Live(spark, tmp_path, plan_of(tmp_path, *report(QUERIES["TVF"], window=window)))
    live.absorb(MORNING, 1)
    live.absorb(MORNING + MINUTE, 2)
    live.pass_time(MORNING + HOUR)
    assert live.rows() == [[clock(MORNING + start * MINUTE), n] for start, n in expected]
    assert verify(spark, live.plan, live.stream.home).is_proven


def test_a_clock_that_goes_back_makes_no_row_late(live: Live) -> None:
    live.absorb(MORNING + MINUTE, 1)
    live.absorb(MORNING, 2)
    live.restart()
    live.absorb(MORNING - HOUR, 4)
    live.pass_time(MORNING + 2 * MINUTE)
    assert live.rows() == [[clock(MORNING + MINUTE), 7]]
    assert live.stream.driver.position.late == 0
    assert verify(live.spark, live.plan, live.stream.home).is_proven


def test_windows_lie_on_the_session_s_clock(spark, tmp_path: Path) -> None:
    """In Berlin an hour is repeated on 2026-10-25; its two showings are one window, which waits for the second."""
    query = "SELECT window_start, SUM(n) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(pt), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"  # noqa: E501
    live = Live(spark, tmp_path, plan_of(tmp_path, "SET 'table.local-time-zone' = 'Europe/Berlin';", *report(query)))
    midnight = 1792886400000
    live.absorb(midnight, 1)
    live.absorb(midnight + HOUR, 2)
    assert live.rows() == []
    live.pass_time(midnight + 2 * HOUR)
    assert live.rows() == [["2026-10-25 02:00:00.000", 3]]
    assert verify(spark, live.plan, live.stream.home).is_proven


def test_a_forged_clock_is_found(live: Live) -> None:
    live.absorb(MORNING, 1)
    live.pass_time(MORNING + MINUTE)
    entry = live.stream.home.log_directory.local / "1.json"
    forged = json.loads(entry.read_text())
    assert forged["clock"] == MORNING
    entry.write_text(json.dumps({**forged, "clock": MORNING + MINUTE}))
    assert not verify(live.spark, live.plan, live.stream.home).is_proven


def test_a_backfill_reproduces_what_a_stream_absorbed(live: Live) -> None:
    interval = Interval(MORNING, MORNING + 2 * MINUTE)
    with pytest.raises(InputError, match="no stream has run here: run it first, or use a rowtime"):
        check_backfill(live.plan, Home.at(live.place / "none"), interval)
    live.absorb(MORNING, 1, 2)
    live.absorb(MORNING + MINUTE, 4)
    live.pass_time(MORNING + 2 * MINUTE)
    (file,) = (file for file in (live.place / "sums").rglob("*.json") if '"n":3' in file.read_text())
    file.write_text(file.read_text().replace('"n":3', '"n":4'))
    assert not verify(live.spark, live.plan, live.stream.home).is_proven
    backfill(live.spark, live.plan, live.stream.home, interval, check=False)
    assert live.rows() == [[clock(MORNING), 3], [clock(MORNING + MINUTE), 4]]
    assert verify(live.spark, live.plan, live.stream.home).is_proven


@pytest.mark.parametrize("file_format", ["csv", "json", "parquet"])
def test_a_table_without_a_rowtime_of_which_nothing_else_is_read(spark, tmp_path: Path, file_format: str) -> None:
    table = (
        "CREATE TABLE events (n INT, pt AS PROCTIME()) "
        f"WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/events', 'format' = '{file_format}');"
    )
    count = "SELECT window_start, CAST(COUNT(*) AS INT) FROM TABLE({window}) GROUP BY window_start, window_end"
    live = Live(spark, tmp_path, plan_of(tmp_path, table, *report(count)[1:]))
    written = tmp_path / "written"
    spark.range(3).selectExpr("CAST(id AS INT) AS n").coalesce(1).write.format(file_format).save(str(written))
    (file,) = written.glob("part-*")
    live.clock.at = MORNING
    (tmp_path / "events").mkdir()
    live.stream.absorb(file.rename(tmp_path / "events" / f"0.{file_format}"))
    live.pass_time(MORNING + MINUTE)
    assert live.rows() == [[clock(MORNING), 3]]
    assert verify(spark, live.plan, live.stream.home).is_proven


def test_functions_of_the_clock(spark, tmp_path: Path) -> None:
    """They are those of the batch, so that the verifier computes the same."""
    table = (
        "CREATE TABLE out (n INT, a TIMESTAMP_LTZ(3), b TIMESTAMP(3), d DATE, w TIMESTAMP(3)) "
        "WITH ('connector' = 'filesystem', 'path' = '${DATA}/out', 'format' = 'json');"
    )
    insert = "INSERT INTO out SELECT n, NOW(), LOCALTIMESTAMP, CURRENT_DATE, CURRENT_WATERMARK(ts) FROM events;"
    zone = "SET 'table.local-time-zone' = 'Asia/Tokyo';"
    live = Live(spark, tmp_path, plan_of(tmp_path, zone, EVENTS.format(proctime="PROCTIME"), table, insert))
    live.absorb(MORNING, 1)
    live.absorb(MORNING + 16 * HOUR, 2)
    rows = {row[0]: row[1:] for row in live.rows("out")}
    assert [row[0] for row in rows.values()] == [f"{clock(at)}Z" for at in (MORNING, MORNING + 16 * HOUR)]
    tokyo = [MORNING + 9 * HOUR, MORNING + 25 * HOUR]
    assert [row[1] for row in rows.values()] == [clock(at) for at in tokyo]
    assert [row[2] for row in rows.values()] == [clock(at)[:10] for at in tokyo]
    assert [row[3] for row in rows.values()] == [None, clock(MORNING)]
    assert verify(spark, live.plan, live.stream.home).is_proven


def test_without_a_stream_there_is_no_clock(spark, tmp_path: Path) -> None:
    """A backfill of rows that no stream has absorbed can't know when one would have."""
    insert = "INSERT INTO sums SELECT window_start, CAST(MAX(EXTRACT(HOUR FROM pt)) AS INT) FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;"  # noqa: E501
    plan = plan_of(tmp_path, EVENTS.format(proctime="PROCTIME"), SUMS, insert)
    write_lines(tmp_path / "events" / "0.json", [json.dumps({"n": 1, "ts": clock(MORNING)})])
    with pytest.raises(Exception) as failure:
        backfill(spark, plan, Home.create(tmp_path / "home", plan), Interval(MORNING, MORNING + MINUTE), check=False)
    meaning = explained(failure.value)
    assert isinstance(meaning, DataError)
    assert "no stream has absorbed this row, it has no PROCTIME()" in str(meaning)


def test_a_batch_query(spark, tmp_path: Path) -> None:
    ddl = EVENTS.format(proctime="PROCTIME").replace("${DATA}/", "")
    write_lines(tmp_path / "events" / "0.json", [json.dumps({"n": 1, "ts": clock(MORNING)})])
    plan = plan_query(ddl, QUERIES["TVF"].format(window=TUMBLE), tmp_path)
    with pytest.raises(InputError, match="Processing time Window TableFunction is not supported yet in batch"):
        list(run_bounded(spark, plan, "batch"))
    assert list(run_bounded(spark, plan, "stream")) == []
    (line,) = run_bounded(spark, plan_query(ddl, "SELECT n, pt FROM events", tmp_path), "batch")
    assert json.loads(line)["pt"] > "2026"


def test_over_fires_with_the_batch_that_brings_its_rows(spark, tmp_path: Path) -> None:
    """By processing time a row has all before it: also two batches of one time, and one after a tick of that time."""
    query = "SELECT ts, SUM(n) OVER (ORDER BY pt ROWS 1 PRECEDING) FROM events"
    live = Live(spark, tmp_path, plan_of(tmp_path, *report(query)))
    live.absorb(MORNING, 1, 2)
    assert [n for _, n in live.rows()] == [1, 3]
    live.absorb(MORNING, 4)
    live.pass_time(MORNING)
    live.restart()
    live.absorb(MORNING, 8)
    assert [n for _, n in live.rows()] == [1, 3, 6, 12]
    verdict = verify(spark, live.plan, live.stream.home)
    assert (verdict.is_proven, verdict.late_rows) == (True, 0)


def test_over_of_an_interval_forgets_what_was_idle(spark, tmp_path: Path) -> None:
    frame = "PARTITION BY n % 2 ORDER BY pt RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW"
    live = Live(spark, tmp_path, plan_of(tmp_path, *report(f"SELECT ts, SUM(n) OVER ({frame}) FROM events")))
    live.absorb(MORNING, 1)
    live.absorb(MORNING + MINUTE // 2, 2)
    live.absorb(MORNING + MINUTE, 4)
    live.restart()
    live.absorb(MORNING + 9 * MINUTE, 8)
    assert [n for _, n in live.rows()] == [1, 2, 6, 8]
    state = live.stream.driver.position.operators["w1"]
    assert sum(file.rows for file in (*state.rows, *state.closed)) == 1
    verdict = verify(spark, live.plan, live.stream.home)
    assert (verdict.is_proven, verdict.late_rows) == (True, 0)


def test_over_waits_for_a_number_of_rows(spark, tmp_path: Path) -> None:
    query = "SELECT ts, SUM(n) OVER (ORDER BY pt ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM events"
    live = Live(spark, tmp_path, plan_of(tmp_path, *report(query)))
    live.absorb(MORNING, 1, 2)
    assert [n for _, n in live.rows()] == [3]
    live.restart()
    live.absorb(MORNING, 4)
    live.absorb(MORNING + HOUR, 8, 16)
    assert [n for _, n in live.rows()] == [3, 6, 12, 24]
    verdict = verify(spark, live.plan, live.stream.home)
    assert (verdict.is_proven, verdict.late_rows) == (True, 0)


def test_over_and_windows_above_it(spark, tmp_path: Path) -> None:
    """What OVER by processing time gives has come when its row came, and has no other time."""
    rows = "(SELECT ts, pt, n, SUM(n) OVER (ORDER BY {} ROWS 1 PRECEDING) AS two FROM events)"
    query = (
        "SELECT window_start, MAX(two) FROM TABLE(TUMBLE({}, DESCRIPTOR({}), INTERVAL '1' MINUTE)) "
        "GROUP BY window_start, window_end"
    )
    with pytest.raises(InputError, match="requires the timecol is a time attribute type"):
        plan_of(tmp_path, *report(query.format(rows.format("pt"), "ts")))
    with pytest.raises(InputError, match="requires the timecol is a time attribute type"):
        plan_of(tmp_path, *report(query.format(rows.format("ts"), "pt")))
    live = Live(spark, tmp_path, plan_of(tmp_path, *report(query.format(rows.format("pt"), "pt"))))
    live.absorb(MORNING, 1, 2)
    live.absorb(MORNING + MINUTE - 1, 4)
    live.absorb(MORNING + MINUTE, 8)
    live.restart()
    live.pass_time(MORNING + 2 * MINUTE)
    assert live.rows() == [[clock(MORNING), 6], [clock(MORNING + MINUTE), 12]]
    assert verify(spark, live.plan, live.stream.home).is_proven


@pytest.mark.parametrize("low", ["INTERVAL '1' MINUTE PRECEDING", "UNBOUNDED PRECEDING"])
def test_over_waits_for_a_time(spark, tmp_path: Path, low: str) -> None:
    frame = f"(ORDER BY pt RANGE BETWEEN {low} AND INTERVAL '2' MINUTE FOLLOWING)"
    live = Live(spark, tmp_path, plan_of(tmp_path, *report(f"SELECT ts, SUM(n) OVER {frame} FROM events")))
    live.absorb(MORNING, 1)
    live.absorb(MORNING + 2 * MINUTE, 2)
    live.absorb(MORNING + 2 * MINUTE + 1, 4)
    assert [n for _, n in live.rows()] == [3]
    live.restart()
    live.pass_time(MORNING + 4 * MINUTE)
    before = 0 if "INTERVAL" in low else 1
    assert [n for _, n in live.rows()] == [3, 6 + before]
    live.pass_time(MORNING + 4 * MINUTE + 1)
    assert [n for _, n in live.rows()] == [3, 6 + before, 6 + before]
    verdict = verify(spark, live.plan, live.stream.home)
    assert (verdict.is_proven, verdict.late_rows) == (True, 0)
