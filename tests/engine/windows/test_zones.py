"""Windows over instants lie on a wall clock: Spark's conversions and the stream's watermark against Python's clock.

instants    05:00Z      06:00Z      07:00Z          one night of New York
wall clock  01:00 ───── 01:00 ───── 02:00           both hours are one window, complete at 07:00Z
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.windows import Sql
from airflow_nrt.model.zones import instant_sql, wall_clock_sql
from airflow_nrt.sql.planner import plan_query
from tests.engine.oracle import CalendarWindowing, Windowing, count_in, watermarks_before
from tests.engine.reports import (
    DAY,
    DELAY,
    FEW,
    HOUR,
    MINUTE,
    Event,
    Stream,
    arriving,
    curve_insert,
    cut,
    events_table,
    insert_result,
    ordered,
    plan_of,
    random_events,
    rows_of,
    source_file,
    write_lines,
)
from tests.engine.windows.test_equivalence import few

NIGHTS = {
    "America/New_York": ("2024-11-03 06:00", "2024-03-10 07:00"),
    "Europe/Berlin": ("2024-10-27 01:00", "2024-03-31 01:00"),
    "Australia/Lord_Howe": ("2024-04-06 15:00", "2024-10-05 15:30"),
    "Asia/Kolkata": ("2024-06-18 18:30",),
    "Asia/Shanghai": ("2024-06-18 16:00",),
}
"""When clocks are changed; where they never are, midnight."""
nights = st.sampled_from([(zone, parse_instant(at)) for zone, changes in NIGHTS.items() for at in changes])
windowings = st.sampled_from(
    [Windowing("TUMBLE", HOUR, HOUR), Windowing("HOP", HOUR, 20 * MINUTE), Windowing("CUMULATE", DAY, 30 * MINUTE)]
)


def shown(zone: str, instant: int) -> int:
    moment = datetime.fromtimestamp(instant / 1000, ZoneInfo(zone)).replace(tzinfo=timezone.utc)
    return round(moment.timestamp() * 1000)


def first_instant(zone: str, clock: int) -> int:
    plain = datetime(1970, 1, 1) + timedelta(milliseconds=clock)
    return round(plain.replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def still_to_come(zone: str, watermark: int | None) -> int | None:
    """The last time of the wall clock that no instant after the watermark shows: clocks change on the minute."""
    if watermark is None:
        return None
    start = watermark + 1
    minutes = range(start - start % MINUTE + MINUTE, start + 6 * HOUR, MINUTE)
    return min(shown(zone, at) for at in (start, *minutes)) - 1


@pytest.mark.parametrize("zone", [*NIGHTS, "Pacific/Apia", "Africa/Casablanca", "GMT+08:00"])
def test_spark_s_clock_is_python_s(spark, zone: str) -> None:
    """Java converts rows and Python converts time: their time zone data must agree, too."""
    change = [parse_instant(at) for at in NIGHTS.get(zone, ("2011-12-30 10:00", "2024-04-14 02:00"))]
    near = [at + n * 10 * MINUTE + k for at in change for n in range(-12, 13) for k in (-1, 0)]
    instants = near + [parse_instant("2000-01-01") + n * 37 * DAY // 2 for n in range(1000)]
    frame = spark.createDataFrame([(at,) for at in instants], "at BIGINT")
    there, back = wall_clock_sql(Sql("at"), zone), instant_sql(Sql("at"), zone)
    python = ZoneInfo("Etc/GMT-8").key if zone == "GMT+08:00" else zone
    rows = frame.selectExpr("at", f"{there} AS there", f"{back} AS back").collect()
    assert [row.there for row in rows] == [shown(python, row.at) for row in rows]
    assert [row.back for row in rows] == [first_instant(python, row.at) for row in rows]


@pytest.mark.timeout(400)
@few(1)
@given(nights, windowings, st.integers(0, 2**32), st.sampled_from([0.0, 0.2]))
@example(("America/New_York", parse_instant("2024-11-03 06:00")), Windowing("TUMBLE", HOUR, HOUR), 1, 0.0)
@example(("Australia/Lord_Howe", parse_instant("2024-10-05 15:30")), Windowing("CUMULATE", DAY, 30 * MINUTE), 3, 0.2)
def test_any_cut_of_a_night(spark, night: tuple[str, int], windowing: Windowing, seed: int, late: float) -> None:
    """The stream is brute force over the wall clock, late rows included; so is the batch, and the verifier agrees."""
    zone, change = night
    events = random_events(seed, 150, 4 * HOUR, start=change - 2 * HOUR)
    batches = cut(arriving(events, seed, DELAY, late=late), seed, 5)
    local = [[replace(event, at=shown(zone, event.at)) for event in batch] for batch in batches]
    marks = [still_to_come(zone, mark) for mark in watermarks_before(batches)]
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        stream = zoned(spark, place, zone, windowing)
        files = [arrive(stream, place, batch) for batch in batches]
        stream.end()
        rows = rows_of(place / "curve")
        assert rows == count_in(windowing, local, FEW, marks)
        verdict = verify(spark, stream.plan, stream.home)
        assert verdict.is_proven, verdict
        assert (verdict.late_rows > 0) == (late > 0)
        result = insert_result(
            spark, stream.plan, stream.plan.inserts[0], {"events": [source_file(file) for file in files]}
        )
        assert ordered(result.drop("_nrt_end").collect()) == count_in(windowing, local, FEW)


def test_both_hours_of_a_night_are_one_window_that_waits_for_the_second(spark, tmp_path: Path) -> None:
    stream = zoned(spark, tmp_path, "America/New_York", Windowing("TUMBLE", HOUR, HOUR))
    first = parse_instant("2024-11-03 05:00")
    arrive(stream, tmp_path, [at(first), at(first + HOUR - 1)])
    arrive(stream, tmp_path, [at(first + HOUR), at(first + 2 * HOUR + DELAY - 2)])
    assert rows_of(tmp_path / "curve") == []
    arrive(stream, tmp_path, [at(first + 2 * HOUR + DELAY - 1)])
    assert [row[1:4] for row in rows_of(tmp_path / "curve")] == [
        (datetime(2024, 11, 3, 1), datetime(2024, 11, 3, 2), 3)
    ]
    assert stream.driver.position.late == 0
    night = Interval(parse_instant("2024-11-03 01:00"), parse_instant("2024-11-03 02:00"))
    assert verify(spark, stream.plan, stream.home, night).inserts[0].equal == 1


def test_what_a_wall_clock_is_asked_for(spark, tmp_path: Path) -> None:
    """Casts, formats and parts are the session's; literals beside instants, too. The SET may follow the table."""
    write_lines(tmp_path / "t.csv", ["1,2024-11-03 05:30:00.000Z", "2,2024-11-03 06:30:00.000Z"])
    ddl = f"""
CREATE TABLE t (id INT, ts TIMESTAMP_LTZ(3), shown AS DATE_FORMAT(ts, 'HH:mm'))
WITH ('connector' = 'filesystem', 'path' = '{tmp_path / "t.csv"}', 'format' = 'csv');
SET 'table.local-time-zone' = 'America/New_York';"""
    query = """
SELECT id, shown, CAST(ts AS TIMESTAMP(3)) AS a, CAST(ts AS DATE) AS b, CAST(ts AS STRING) AS c,
    EXTRACT(HOUR FROM ts) AS d, CAST(CAST(ts AS TIMESTAMP(3)) AS TIMESTAMP_LTZ(3)) AS e,
    FROM_UNIXTIME(1730611800) AS f, ts
FROM t WHERE ts >= '2024-11-03 01:30:00' AND ts < '2024-11-03 02:00:00'"""
    lines = [json.loads(line) for line in run_bounded(spark, plan_query(ddl, query, tmp_path), "batch")]
    night, instant = "2024-11-03 01:30:00", "2024-11-03 05:30:00.000Z"
    assert sorted(lines, key=lambda row: row["id"]) == [
        {"id": n, "shown": "01:30", "a": f"{night}.000", "b": "2024-11-03", "c": f"{night}.000", "d": 1, "e": instant}
        | {"f": night, "ts": ts}
        for n, ts in ((1, instant), (2, "2024-11-03 06:30:00.000Z"))
    ]


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_a_window_that_ends_in_the_skipped_hour_is_counted_in_that_hour(spark, tmp_path: Path, mode: str) -> None:
    write_lines(tmp_path / "t.csv", ["1,2024-03-10 06:50:00.000Z", "2,2024-03-10 07:10:00.000Z"])
    ddl = f"""
CREATE TABLE t (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '{tmp_path / "t.csv"}', 'format' = 'csv');
CREATE VIEW steps AS SELECT window_time AS at, COUNT(*) AS n
FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '30' MINUTES, INTERVAL '4' HOURS))
GROUP BY window_start, window_end, window_time;"""
    query = """SELECT window_start, window_end, window_time, COUNT(*) AS windows, SUM(n) AS n
FROM TABLE(TUMBLE(TABLE steps, DESCRIPTOR(at), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, window_time"""
    plan = plan_query(ddl, query, tmp_path, overrides={"table.local-time-zone": "America/New_York"})
    found = sorted(list(json.loads(line).values()) for line in run_bounded(spark, plan, mode))
    assert [[row[0][11:16], row[1][11:16], row[2][11:], *row[3:]] for row in found] == [
        ["01:00", "02:00", "06:59:59.999Z", 1, 1],
        ["02:00", "03:00", "07:59:59.999Z", 2, 2],
        ["03:00", "04:00", "07:59:59.999Z", 2, 4],
    ]


@pytest.mark.parametrize(
    ("hours", "missing"), [(["00", "01", "03"], "fail"), (["05", "06", "07"], "ignore")], ids=["wall clock", "UTC"]
)
def test_a_night_is_backfilled_from_partitions_by_either_clock(spark, tmp_path: Path, hours, missing: str) -> None:
    instants = [parse_instant(f"2024-03-10 {hour}:10") for hour in ("05", "06", "07")]
    for hour, instant in zip(hours, instants):
        file = tmp_path / "events" / "ds=2024-03-10" / f"hh={hour}" / "a.csv"
        write_lines(file, [f"{at(instant).line}Z"])
    pattern = {"partition__time_extractor__timestamp_pattern": "$ds $hh:00:00", "partition__missing": missing}
    table = events_table(**pattern).replace("ts TIMESTAMP(3),", "ts TIMESTAMP_LTZ(3), ds STRING, hh STRING,")
    table = table.replace(") WITH", ") PARTITIONED BY (ds, hh) WITH")
    insert = curve_insert("TUMBLE(INTERVAL '1' HOUR)", FEW)
    plan = plan_of(tmp_path, "SET 'table.local-time-zone' = 'America/New_York';", table, insert)
    home = Home.create(tmp_path / "home", plan)
    night = Interval(parse_instant("2024-03-10 00:00"), parse_instant("2024-03-10 04:00"))
    verdict = backfill(spark, plan, home, night, True).verdict
    assert verdict is not None and verdict.is_proven
    assert [(row[1].hour, row[3]) for row in rows_of(tmp_path / "curve")] == [(0, 1), (1, 1), (3, 1)]


def zoned(spark, place: Path, zone: str, windowing: Windowing | CalendarWindowing) -> Stream:
    table = events_table().replace("ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")
    plan = plan_of(place, f"SET 'table.local-time-zone' = '{zone}';", table, curve_insert(windowing.sql, FEW))
    return Stream(spark, plan, place / "home")


def arrive(stream: Stream, place: Path, batch: Sequence[Event]) -> Path:
    n = len(list((place / "events").glob("*.csv")))
    file = write_lines(place / "events" / f"{n:03d}.csv", (f"{event.line}Z" for event in batch))
    stream.absorb(file)
    return file


def at(instant: int) -> Event:
    return Event(1, 1, 1, "a", None, None, instant)
