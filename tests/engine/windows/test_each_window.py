"""Window columns beside columns of rows: in aggregates, conditions and group keys, on every kind of window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.model.aggregates import AGGREGATES as AGGREGATES_OF_SQL
from tests.engine.reports import (
    HOUR,
    batch_results,
    duckdb_events,
    events_table,
    ordered,
    plan_of,
    random_events,
    write_events,
)
from tests.engine.windows.streamed import BOUNDS, any_cut, streamed, windowed

pytestmark = pytest.mark.usefixtures("several_tasks")

WINDOWS = {
    "TUMBLE": "TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTE)",
    "HOP": "HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTE, INTERVAL '1' HOUR)",
    "CUMULATE": "CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTE, INTERVAL '1' HOUR)",
}
LAST = "ts >= window_end - INTERVAL '20' MINUTE"


def queries(kind: str) -> dict[str, str]:
    """Inserts by name, of which each reads window columns where rows are read."""
    window = WINDOWS[kind]
    cases = {
        "age": windowed(
            "shop INT, age INT, latest BIGINT",
            f"""SELECT shop, AVG(TIMESTAMPDIFF(SECOND, window_start, ts)), COUNT(*) FILTER (WHERE {LAST}), {BOUNDS}
            FROM {window} WHERE price > 20 GROUP BY {BOUNDS}, shop""",
        ),
        "first": windowed(
            "dear BIGINT", f"SELECT COUNT(*), {BOUNDS} FROM {window} WHERE {LAST} OR price > 90 GROUP BY {BOUNDS}"
        ),
        "minutes": windowed(
            "m INT, n BIGINT",
            f"""SELECT TIMESTAMPDIFF(MINUTE, window_start, ts) / 10, COUNT(*), {BOUNDS} FROM {window}
            GROUP BY {BOUNDS}, TIMESTAMPDIFF(MINUTE, window_start, ts) / 10""",
        ),
        "ends": windowed(
            "latest TIMESTAMP(3), n BIGINT, odd DECIMAL(38, 2)",
            f"""SELECT MAX(window_end), COUNT(*) FILTER (WHERE HOUR(window_end) > 1),
            SUM(price) FILTER (WHERE HOUR(window_end) > 1), {BOUNDS} FROM {window} GROUP BY {BOUNDS}""",
        ),
    }
    return {name: case.insert(name) for name, case in cases.items()}


@pytest.mark.parametrize("kind", WINDOWS)
def test_batch_is_what_duckdb_says(spark, tmp_path: Path, kind: str) -> None:
    events = random_events(9, 300, 3 * HOUR)
    file = write_events(tmp_path / "events" / "all.csv", events)
    results = batch_results(spark, plan_of(tmp_path, events_table(), *queries(kind).values()), file)
    connection = duckdb_events(file)
    third = "time_bucket(INTERVAL 20 MINUTE, ts) + i * INTERVAL 20 MINUTE"
    start, end, count = {
        "TUMBLE": (third, "s + INTERVAL 20 MINUTE", 1),
        "HOP": (third.replace("+ i", "- i"), "s + INTERVAL 1 HOUR", 3),
        "CUMULATE": ("time_bucket(INTERVAL 1 HOUR, ts)", "s + (i + 1) * INTERVAL 20 MINUTE", 3),
    }[kind]
    connection.execute(
        f"""CREATE TABLE w AS SELECT *, {start} AS s, {end} AS e, floor(epoch(ts - s))::INT AS age,
        ts >= e - INTERVAL 20 MINUTE AS latest FROM events, (SELECT unnest(range({count})) AS i) WHERE ts < e"""
    )

    def said(query: str) -> list[tuple[object, ...]]:
        return ordered(connection.execute(query).fetchall())

    assert results["age"] == said(
        "SELECT shop, (sum(age) // count(*))::INT, count(*) FILTER (latest), s, e FROM w WHERE price > 20 "
        "GROUP BY shop, s, e"
    )
    assert results["first"] == said("SELECT count(*), s, e FROM w WHERE latest OR price > 90 GROUP BY s, e")
    assert results["minutes"] == said("SELECT age // 600, count(*), s, e FROM w GROUP BY age // 600, s, e")
    assert results["ends"] == said(
        "SELECT e, count(*) FILTER (hour(e) > 1), sum(price) FILTER (hour(e) > 1), s, e FROM w GROUP BY s, e"
    )


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", [pytest.param("HOP", marks=pytest.mark.thorough), "CUMULATE"])
@any_cut
def test_stream_is_proven_whatever_the_cut(spark, kind: str, seed: int, batches: int) -> None:
    _, verdict, written = streamed(spark, [*queries(kind).values()], 200, seed, batches)
    assert verdict.is_proven, verdict
    assert verdict.late_rows > 0
    assert all(written.values()), written


@pytest.mark.parametrize(
    ("kind", "value", "type", "keeps_rows"),
    [
        ("HOP", "MAX(window_end)", "TIMESTAMP(3)", False),
        ("HOP", "SUM(price) FILTER (WHERE HOUR(window_end) > 1)", "DECIMAL(38, 2)", False),
        ("CUMULATE", "MIN(TIMESTAMPDIFF(SECOND, window_start, ts))", "INT", False),
        ("TUMBLE", "MIN(TIMESTAMPDIFF(SECOND, ts, window_end))", "INT", False),
        ("CUMULATE", "MIN(TIMESTAMPDIFF(SECOND, ts, window_end))", "INT", True),
        ("HOP", "COUNT(DISTINCT window_end)", "BIGINT", True),
    ],
)
def test_rows_are_kept_only_where_each_window_sees_them_in_another_way(
    tmp_path: Path, kind: str, value: str, type: str, keeps_rows: bool
) -> None:
    query = f"SELECT {value}, {BOUNDS} FROM {WINDOWS[kind]} GROUP BY {BOUNDS}"
    plan = plan_of(tmp_path, events_table(), windowed(f"x {type}", query).insert("one"))
    assert [one.keeps_rows for one in plan.operators] == [keeps_rows]


@pytest.mark.parametrize(
    ("value", "nature", "keeps_rows"),
    [
        ("STDDEV_POP(price) FILTER (WHERE HOUR(window_end) > 1)", {}, True),
        ("STDDEV_POP(price) FILTER (WHERE HOUR(window_end) > 1)", {"of_no_rows": "NULL"}, False),
        ("STDDEV_POP(HOUR(window_end))", {}, True),
        ("STDDEV_POP(HOUR(window_end))", {"one_of_values": True}, False),
    ],
)
def test_an_aggregate_says_what_it_is_of_equal_values_and_of_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, nature: dict[str, Any], keeps_rows: bool
) -> None:
    monkeypatch.setitem(AGGREGATES_OF_SQL, "STDDEV_POP", replace(AGGREGATES_OF_SQL["STDDEV_POP"], **nature))
    query = f"SELECT CAST({value} AS DOUBLE), {BOUNDS} FROM {WINDOWS['HOP']} GROUP BY {BOUNDS}"
    plan = plan_of(tmp_path, events_table(), windowed("x DOUBLE", query).insert("one"))
    assert [one.keeps_rows for one in plan.operators] == [keeps_rows]


def test_what_is_kept_is_what_is_read(tmp_path: Path) -> None:
    value = "MIN(TIMESTAMPDIFF(SECOND, ts, window_end))"
    query = f"SELECT {value}, {BOUNDS} FROM {WINDOWS['HOP']} WHERE shop = 1 GROUP BY {BOUNDS}"
    (operator,) = plan_of(tmp_path, events_table(), windowed("x INT", query).insert("one")).operators
    assert [key.type.flink for key in operator.keys[:-1]] == ["TIMESTAMP(3)"]
    assert "`shop` = 1" in operator.input.sql
