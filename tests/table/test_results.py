"""What programs compute in a stream and in a batch, beside brute force and DuckDB: windows, joins, counted rows.

Covers airflow_nrt/table/environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from airflow_nrt.table import (
    Cumulate,
    DataTypes,
    EnvironmentSettings,
    Row,
    Slide,
    Table,
    TableAggregateFunction,
    TableEnvironment,
    Tumble,
    TumbleRows,
    and_,
    col,
    lit,
    row_interval,
    udtaf,
)
from tests.engine.oracle import Windowing, watermarks_before
from tests.engine.reports import (
    DELAY,
    HOUR,
    MINUTE,
    Event,
    arriving,
    clock,
    cut,
    events_table,
    ordered,
    random_events,
    write_events,
    write_lines,
)

MODES = ("stream", "batch")
VISITS = """
CREATE TABLE visits (visit BIGINT, place INT, vts TIMESTAMP(3), WATERMARK FOR vts AS vts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'visits', 'format' = 'csv', 'csv.null-literal' = 'NULL',
    'source.max-batch-size' = '1 b')
"""


def environment_of(place: Path, mode: str) -> TableEnvironment:
    """With `events` in `place`, of which a stream reads a file a batch."""
    environment = TableEnvironment(EnvironmentSettings(mode), base=place)
    environment.execute_sql(events_table(source__max_batch_size="1 b").replace("${DATA}", str(place)))
    return environment


def write_batches(place: Path, batches: Sequence[Sequence[Event]]) -> None:
    for n, batch in enumerate(batches):
        write_events(place / "events" / f"{n}.csv", batch)


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    return ordered(tuple(row.values()) for row in table.execute().rows())


def by_shop(events: Iterable[Event]) -> Iterator[tuple[int | None, list[Event]]]:
    """The rows of each shop, by time."""
    for shop, rows in groupby(sorted(events, key=lambda row: row.shop or 0), key=lambda row: row.shop):
        yield shop, sorted(rows, key=lambda row: row.at)


# ---------------------------------------------------------------------------------------------------- windows

WINDOWS: dict[str, tuple[Any, Windowing]] = {
    "tumble": (Tumble.over(lit(10).minutes), Windowing("TUMBLE", 10 * MINUTE, 10 * MINUTE)),
    "slide": (Slide.over(lit(15).minutes).every(lit(10).minutes), Windowing("HOP", 15 * MINUTE, 10 * MINUTE)),
    "cumulate": (Cumulate.over(lit(30).minutes).step(lit(10).minutes), Windowing("CUMULATE", 30 * MINUTE, 10 * MINUTE)),
}


def best_two() -> Any:
    """The two greatest values. Its class is no module's, so that it travels to wherever it runs."""

    class BestTwo(TableAggregateFunction):
        def create_accumulator(self):
            return []

        def accumulate(self, best, value):
            if value is not None:
                best[:] = sorted([*best, value], reverse=True)[:2]

        def merge(self, best, others):
            for other in others:
                best[:] = sorted([*best, *other], reverse=True)[:2]

        def emit_value(self, best):
            for place, value in enumerate(best, 1):
                yield Row(place, value)

        def get_accumulator_type(self):
            return DataTypes.ARRAY(DataTypes.BIGINT())

        def get_result_type(self):
            return DataTypes.ROW([DataTypes.INT(), DataTypes.BIGINT()])

    return udtaf(BestTwo())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("window", WINDOWS)
def test_a_table_aggregate_of_windows_is_that_of_their_rows(spark, tmp_path: Path, window: str, mode: str) -> None:
    events = arriving(random_events(11, 40, HOUR), 11, DELAY)
    write_batches(tmp_path, cut(events, 11, 2))
    spoken, windowing = WINDOWS[window]
    table = (
        environment_of(tmp_path, mode)
        .from_path("events")
        .window(spoken.on(col("ts")).alias("w"))
        .group_by(col("w"), col("shop"))
        .flat_aggregate(best_two()(col("id")).alias("place", "best"))
        .select(col("shop"), col("w").start, col("w").end, col("place"), col("best"))
    )
    expected = []
    for start, end in windowing.between(min(e.at for e in events), max(e.at for e in events)):
        for shop, rows in by_shop(event for event in events if start <= event.at < end):
            best = sorted((row.id for row in rows), reverse=True)[:2]
            expected += [(shop, clock(start), clock(end), n, value) for n, value in enumerate(best, 1)]
    assert rows_of(table) == ordered(expected)


# ---------------------------------------------------------------------------------------------------- joins

JOINS: dict[str, Callable[[Table, Table, Any], Table]] = {
    "INNER": lambda left, right, on: left.join(right, on),
    "LEFT": lambda left, right, on: left.left_outer_join(right, on),
    "RIGHT": lambda left, right, on: left.right_outer_join(right, on),
    "FULL": lambda left, right, on: left.full_outer_join(right, on),
}
CONDITIONS: dict[str, tuple[Any, str]] = {
    "of equal keys": (col("shop") == col("place"), "shop = place"),
    "of rows that are near in time": (
        and_(
            col("shop") == col("place"),
            col("ts") >= col("vts") - lit(6).minutes,
            col("ts") < col("vts") + lit(4).minutes,
        ),
        "shop = place AND ts >= vts - 360000 AND ts < vts + 240000",
    ),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("kind", "which"),
    [
        ("LEFT", "of equal keys"),
        ("FULL", "of equal keys"),
        ("INNER", "of rows that are near in time"),
        ("RIGHT", "of rows that are near in time"),
        ("FULL", "of rows that are near in time"),
    ],
)
def test_a_join_is_what_duckdb_says(spark, tmp_path: Path, kind: str, which: str, mode: str) -> None:
    events = arriving(random_events(21, 18, HOUR), 21, DELAY)
    visits = arriving(random_events(22, 14, HOUR), 22, DELAY)
    write_batches(tmp_path, cut(events, 21, 2))
    for n, batch in enumerate(cut(visits, 22, 2)):
        lines = (f"{row.id},{'NULL' if row.shop is None else row.shop},{clock(row.at)}" for row in batch)
        write_lines(tmp_path / "visits" / f"{n}.csv", lines)
    environment = environment_of(tmp_path, mode)
    environment.execute_sql(VISITS)
    condition, spoken = CONDITIONS[which]
    joined = JOINS[kind](environment.from_path("events"), environment.from_path("visits"), condition)
    database = duckdb.connect()
    for name, rows, columns in (
        ("events", events, ("id", "shop", "ts")),
        ("visits", visits, ("visit", "place", "vts")),
    ):
        values = [row.id for row in rows], [row.shop for row in rows], [row.at for row in rows]
        database.register(name, pa.table(dict(zip(columns, values))))
    expected = database.sql(f"SELECT id, visit FROM events {kind} JOIN visits ON {spoken}").fetchall()
    assert any(None in pair for pair in expected) == (kind != "INNER")
    assert rows_of(joined.select(col("id"), col("visit"))) == ordered(expected)


# ---------------------------------------------------------------------------------------------------- counted rows


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("size", "slide"), [(3, 3), (4, 3)])
def test_windows_count_the_rows_that_come_in_time(spark, tmp_path: Path, size: int, slide: int, mode: str) -> None:
    """A row behind the watermark has no number. A batch has no watermark: each row is in time."""
    batches = cut(arriving(random_events(31, 60, 2 * HOUR), 31, DELAY, late=0.2), 31, 4)
    write_batches(tmp_path, batches)
    length = row_interval(size)
    window = Tumble.over(length) if size == slide else Slide.over(length).every(row_interval(slide))
    table = (
        environment_of(tmp_path, mode)
        .from_path("events")
        .window(window.on(col("ts")).alias("w"))
        .group_by(col("w"), col("shop"))
        .select(col("shop"), lit(1).count, col("id").sum, col("id").max)
    )
    marks = watermarks_before(batches) if mode == "stream" else [None] * len(batches)
    known = [row for batch, mark in zip(batches, marks) for row in batch if mark is None or row.at > mark]
    assert mode == "batch" or len(known) < 60
    expected = []
    for shop, rows in by_shop(known):
        for end in range(size, len(rows) + 1):
            if (end - size) % slide == 0:
                ids = [row.id for row in rows[end - size : end]]
                expected.append((shop, size, sum(ids), max(ids)))
    assert rows_of(table) == ordered(expected)


@pytest.mark.parametrize("mode", MODES)
def test_rows_see_their_tumbling_window_so_far(spark, tmp_path: Path, mode: str) -> None:
    size, odd = 7 * MINUTE, 90_500
    events = arriving(random_events(41, 50, HOUR), 41, DELAY)
    # Rows of one time see each other.
    events += [
        Event(100 + n, row.shop, row.user, row.item, row.price, row.weight, row.at) for n, row in enumerate(events[-4:])
    ]
    write_batches(tmp_path, cut(events, 41, 2))
    table = (
        environment_of(tmp_path, mode)
        .from_path("events")
        .over_window(
            TumbleRows.partition_by(col("shop")).over(lit(7).minutes).on(col("ts")).alias("w"),
            TumbleRows.over(lit(7).minutes).on(col("ts")).alias("all"),
            TumbleRows.over(lit(odd).milli).on(col("ts")).alias("odd"),
        )
        .select(
            col("id"),
            col("id").sum.over(col("w")),
            col("user_id").count.distinct.over(col("w")),
            lit(1).count.over(col("all")),
            lit(1).count.over(col("odd")),
            col("w").start,
            col("odd").end,
        )
    )
    expected = []
    for row in events:
        of_odd = [one for one in events if one.at // odd == row.at // odd and one.at <= row.at]
        so_far = [one for one in events if one.at // size == row.at // size and one.at <= row.at]
        own = [one for one in so_far if one.shop == row.shop]
        users = {one.user for one in own if one.user is not None}
        bounds = clock(row.at // size * size), clock((row.at // odd + 1) * odd)
        expected.append((row.id, sum(one.id for one in own), len(users), len(so_far), len(of_odd), *bounds))
    assert rows_of(table) == ordered(expected)
