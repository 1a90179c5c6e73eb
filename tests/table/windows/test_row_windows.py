"""Row windows that begin anew: what a model says of the rows in time, in any cut of the stream; and little state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_nrt.basics.instants import EPOCH
from airflow_nrt.engine.state import compaction
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.position.state_kinds import FiredRows
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import load_report
from tests.engine.reports import (
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    arriving,
    cut,
    events_table,
    random_events,
    rows_of,
)

ROWS, GAP, GAP_OF_ALL, WORLDS = 4, 3 * MINUTE, 5_000, 10
PROGRAM = """
from airflow_nrt.table import SessionRows, TumbleRows, col, lit, row_interval


def build(t_env):
    t_env.execute_sql('''{table}''')
    t_env.execute_sql('''
        CREATE TABLE anew (id BIGINT, n BIGINT, gmv DECIMAL(38, 2), users BIGINT, m BIGINT, nth BIGINT,
            begins TIMESTAMP(3), ends TIMESTAMP(3))
        WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/anew', 'format' = 'parquet')
    ''')
    shop = col("shop")
    t_env.from_path("events").over_window(
        TumbleRows.partition_by(shop).over(row_interval({rows})).on(col("ts")).alias("t"),
        SessionRows.partition_by(shop).with_gap(lit({gap}).milli).on(col("ts")).alias("s"),
        SessionRows.with_gap(lit({gap_of_all}).milli).on(col("ts")).alias("all"),
    ).select(
        col("id"), lit(1).count.over(col("t")), col("price").sum.over(col("t")),
        col("user_id").count.distinct.over(col("s")), lit(1).count.over(col("s")), lit(1).count.over(col("all")),
        col("s").start, col("s").end,
    ).execute_insert("anew")
"""


def plan_of(place: Path) -> Plan:
    report = place / f"{place.name}_report.py"  # Modules of one process have different names.
    report.write_text(PROGRAM.format(table=events_table(), rows=ROWS, gap=GAP, gap_of_all=GAP_OF_ALL))
    return load_report(report, {"DATA": str(place)})


def modelled(rows: Iterable[Event]) -> dict[int, tuple[object, ...]]:
    """By id, what the query says, if all these rows are in time. They have an order of arrival."""
    by_time = sorted(rows, key=lambda row: row.at)
    counts = {so_far[-1].id: len(so_far) for so_far in sessions(by_time, GAP_OF_ALL)}
    found = {}
    for _, group in groupby(sorted(by_time, key=lambda row: row.shop or 0), key=lambda row: row.shop):
        own = list(group)
        running = {so_far[-1].id: so_far for so_far in sessions(own, GAP)}
        for n, row in enumerate(own):
            tumbling, session = own[n - n % ROWS : n + 1], running[row.id]
            prices = [one.price for one in tumbling if one.price is not None]
            users = {one.user for one in session if one.user is not None}
            total = sum(prices, Decimal()) if prices else None
            bounds = EPOCH + timedelta(milliseconds=session[0].at), EPOCH + timedelta(milliseconds=row.at + GAP)
            found[row.id] = (len(tumbling), total, len(users), len(session), counts[row.id], *bounds)
    return found


def sessions(rows: list[Event], gap: int) -> Iterable[list[Event]]:
    """Behind each row, those of its session so far."""
    so_far: list[Event] = []
    for row in rows:
        so_far = [*so_far, row] if so_far and row.at <= so_far[-1].at + gap else [row]
        yield so_far


def published(place: Path) -> dict[int, tuple[object, ...]]:
    return {row[0]: row[1:] for row in rows_of(place / "anew")}


def worlds(seed: int) -> list[Event]:
    """The rows of some random streams in one, each with shops of its own: what costs time is a stream, not its rows."""
    streams = [random_events(seed + n, 40, HOUR) for n in range(WORLDS)]
    rows = [
        replace(row, id=40 * n + row.id, shop=None if row.shop is None else 100 * n + row.shop)
        for n, stream in enumerate(streams)
        for row in stream
    ]
    return arriving(rows, seed, 4 * MINUTE)


@pytest.mark.thorough
@settings(max_examples=2)
@given(seed=st.integers(0, 1000), batches=st.integers(1, 3))
def test_in_any_cut_they_are_what_the_model_says(spark, tmp_path_factory, seed: int, batches: int) -> None:
    place = tmp_path_factory.mktemp("anew")
    events = worlds(seed)
    plan = plan_of(place)
    stream = Stream(spark, plan, place / "home")
    stream.absorb_batches(place, cut(events, seed, batches) if batches > 1 else [events])
    stream.end()
    assert published(place) == modelled(events)


def test_late_rows_are_told_and_proven(spark, tmp_path: Path) -> None:
    events = arriving(random_events(5, 90, 2 * HOUR), 5, 4 * MINUTE, late=0.1)
    plan = plan_of(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, cut(events, 5, 3))
    stream.end()
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
    assert verdict.late_rows > 0
    assert published(tmp_path) == modelled(row for row in events if row.id in published(tmp_path))


def test_windows_that_are_over_leave_nothing(spark, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(compaction, "FANOUT", 2)
    plan = plan_of(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    held = []
    for n in range(6):
        hour = MORNING + n * HOUR
        rows = [Event(10 * n + i, i % 2, i, None, Decimal(1), None, hour + i * 1000) for i in range(ROWS)]
        stream.absorb_batches(tmp_path, [rows])
        last = stream.driver.position.operators[plan.operators[-1].name]
        held.append(sum(file.rows for file in FiredRows.of(last.closed).heads))
    assert held[-1] <= max(held[:3])
    stream.end()
    assert published(tmp_path)[53][3:5] == (2, 4)
