"""Windows of months on Spark: the SQL of their arithmetic, a batch, a stream with late rows, and wall clocks.

DuckDB's calendar and Python's zones say what is right.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.basics.instants import END_OF_TIME, parse_instant
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.windows import Sql
from airflow_nrt.sql.from_clause.windowing_functions import window_of_group
from airflow_nrt.sql.parse.statements import parse_expression
from tests.engine.oracle import CALENDAR, CalendarWindowing, count_in, watermarks_before
from tests.engine.reports import (
    DAY,
    DELAY,
    FEW,
    HOUR,
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
    write_events,
)
from tests.engine.windows.test_zones import arrive, shown, still_to_come, zoned

pytestmark = pytest.mark.usefixtures("several_tasks")
LATE = (
    CalendarWindowing("CUMULATE", "1 QUARTER", "1 DAY", "-1 MONTH"),
    CalendarWindowing("CUMULATE", "1 YEAR", "1 MONTH", "3 MONTH"),
    CalendarWindowing("HOP", "1 MONTH", "1 DAY"),
)


def test_the_sql_is_the_arithmetic(spark) -> None:
    days = [parse_instant(day) for day in ("0001-02-01", "1969-12-31", "2000-02-28", "2023-01-30", "9999-12-01")]
    times = sorted({day + n * DAY + k for day in days for n in range(32) for k in (-1, 0, 7 * HOUR)})
    watermarks = [*times[1:], END_OF_TIME]
    frame = spark.createDataFrame([*zip(times, watermarks), (times[0], None)], "at BIGINT, watermark BIGINT").cache()
    for windowing in CALENDAR:
        window = window_of_group(parse_expression(windowing.sql.replace("(", "(ts, ", 1)))
        slice_end = window.slice_end(Sql("at"))
        ends = window.grid.sequence(window.first_end(slice_end).text, window.last_end(slice_end).text)
        sql = (slice_end, window.start(slice_end), window.counted_from(slice_end, Sql("watermark")), ends)
        rows = frame.selectExpr("at", "watermark", *(f"{one} AS c{n}" for n, one in enumerate(sql))).collect()
        for at, watermark, own, start, counted, listed in rows:
            assert own == window.slice_end(at) and start == window.start(own), (windowing, at)
            assert listed == list(window.ends(own)), (windowing, at)
            right = window.first_end(own) if watermark is None else window.counted_from(own, watermark)
            # After the last row of all it makes no difference which windows are open.
            assert counted == right or (watermark == END_OF_TIME and counted > listed[-1]), (windowing, at, watermark)
    frame.unpersist()


def test_batch_equals_brute_force(spark, tmp_path: Path) -> None:
    events = random_events(7, 200, 500 * DAY, start=parse_instant("2023-08-20"))
    file = write_events(tmp_path / "events" / "all.csv", events)
    inserts = (curve_insert(one.sql, FEW, f"c{n}") for n, one in enumerate(CALENDAR))
    plan = plan_of(tmp_path, events_table(), *inserts)
    for windowing, insert in zip(CALENDAR, plan.inserts):
        result = insert_result(spark, plan, insert, {"events": [source_file(file)]})
        assert ordered(result.drop("_nrt_end").collect()) == count_in(windowing, [events], FEW), windowing


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_late_rows_count_in_windows_still_open(spark, tmp_path: Path) -> None:
    events = random_events(8, 250, 200 * DAY, start=parse_instant("2023-11-20"))
    arrived = cut(arriving(events, 8, DELAY, late=0.2, lateness=50 * DAY), 8, 4)
    inserts = (curve_insert(one.sql, FEW, f"c{n}") for n, one in enumerate(LATE))
    stream = Stream(spark, plan_of(tmp_path, events_table(), *inserts), tmp_path / "home")
    stream.absorb_batches(tmp_path, arrived)
    stream.end()
    verdict = verify(spark, stream.plan, stream.home)
    assert verdict.is_proven and verdict.late_rows > 0, verdict
    marks = watermarks_before(arrived)
    for n, windowing in enumerate(LATE):
        assert rows_of(tmp_path / f"c{n}") == count_in(windowing, arrived, FEW, marks), windowing


@pytest.mark.parametrize(
    ("zone", "start"),
    [("Pacific/Apia", "2011-12-27"), ("Australia/Lord_Howe", "2024-03-30"), ("America/New_York", "2024-10-30")],
)
def test_a_month_to_date_on_a_wall_clock(spark, tmp_path: Path, zone: str, start: str) -> None:
    """Samoa had no 30 December 2011. Lord Howe changes its clocks by half an hour, New York by an hour."""
    windowing = CalendarWindowing("CUMULATE", "1 MONTH", "1 DAY")
    events = random_events(9, 200, 9 * DAY, start=parse_instant(start))
    batches = cut(arriving(events, 9, DELAY, late=0.1, lateness=2 * DAY), 9, 4)
    local = [[replace(event, at=shown(zone, event.at)) for event in batch] for batch in batches]
    marks = [still_to_come(zone, mark) for mark in watermarks_before(batches)]
    stream = zoned(spark, tmp_path, zone, windowing)
    for batch in batches:
        arrive(stream, tmp_path, batch)
    stream.end()
    assert rows_of(tmp_path / "curve") == count_in(windowing, local, FEW, marks)
    assert verify(spark, stream.plan, stream.home).is_proven
