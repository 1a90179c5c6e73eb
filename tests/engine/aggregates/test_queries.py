"""Aggregates in queries of one table: what they refuse in the data, window columns inside, results of windows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from tests.golden.run import MODES
from tests.golden.statements import Statement

TEN_MINUTES = "TUMBLE(TABLE Bid, DESCRIPTOR(ts), INTERVAL '10' MINUTES)"
BOUNDS = "window_start, window_end"


def answers(spark, mode: str, select: str, *, table: str = TEN_MINUTES, rest: str = "") -> list[dict[str, Any]]:
    """The rows of a query by window, in the order of the windows."""
    query = f"SELECT window_end, {select} FROM {table} {rest} GROUP BY {BOUNDS}"
    rows = [json.loads(line) for line in run_bounded(spark, Statement("", "", query, {}).plan(), mode)]
    rows.sort(key=lambda row: row.pop("window_end"))
    return rows


@pytest.mark.parametrize("mode", MODES)
def test_a_row_of_tumble_knows_its_window(spark, mode: str) -> None:
    select = """SUM(TIMESTAMPDIFF(MINUTE, window_start, ts)) AS minutes, APPROX_COUNT_DISTINCT(window_end) AS ends,
        COUNT(*) FILTER (WHERE ts >= window_start + INTERVAL '5' MINUTE) AS late"""
    rows = answers(spark, mode, select, rest="WHERE qty IS NULL OR ts < window_end - INTERVAL '2' MINUTE")
    assert rows == [
        {"minutes": 12, "ends": 1, "late": 2},
        {"minutes": 11, "ends": 1, "late": 1},
    ]


@pytest.mark.parametrize("mode", MODES)
def test_distinct_rows_of_windows(spark, mode: str) -> None:
    query = f"SELECT DISTINCT * FROM (SELECT price > 3 AS dear, {BOUNDS} FROM {TEN_MINUTES})"
    rows = [json.loads(line) for line in run_bounded(spark, Statement("", "", query, {}).plan(), mode)]
    assert sorted((row["window_end"][11:16], row["dear"]) for row in rows) == [
        ("08:10", False), ("08:10", True), ("08:20", False), ("08:20", True),
    ]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_aggregates_of_the_results_of_windows(spark, mode: str) -> None:
    inner = f"(SELECT item, qty, {BOUNDS} FROM {TEN_MINUTES} GROUP BY item, qty, {BOUNDS})"
    select = """COLLECT(item) AS items, LISTAGG(item) AS listed, ARRAY_AGG(DISTINCT qty) AS quantities,
        PERCENTILE(qty, 0.5) AS median, SINGLE_VALUE(DISTINCT qty > 100) FILTER (WHERE qty IS NOT NULL) AS many"""
    rows = answers(spark, mode, select, table=inner)
    assert rows == [
        {"items": {"A": 1, "B": 1}, "listed": "A,B", "quantities": [5, 3, None], "median": 4.0, "many": False},
        {"items": {"A": 1, "D": 1, "F": 1}, "listed": "A,D,F", "quantities": [-4, 7, 2], "median": 2.0, "many": False},
    ]


@pytest.mark.parametrize("mode", MODES)
def test_values_are_shown_as_columns_are(spark, mode: str) -> None:
    rows = answers(spark, mode, "ARRAY_AGG(price) AS prices, COLLECT(CAST(ts AS DATE)) AS days, ARRAY_AGG(ts) AS times")
    assert rows[0] == {
        "prices": ["4.00", "2.00", "5.00"],
        "days": {"2020-04-15": 3},
        "times": [f"2020-04-15 08:0{minute}:00.000" for minute in (5, 7, 9)],
    }


@pytest.mark.parametrize(
    ("call", "words"),
    {
        "SINGLE_VALUE(qty)": "SINGLE_VALUE(qty) has more than one row in the window that ends at 2020-04-15 08:",
        "SINGLE_VALUE(DISTINCT qty)": "SINGLE_VALUE(DISTINCT qty) has more than one row in the window",
        "JSON_OBJECTAGG(KEY item VALUE qty)": "has a key that is NULL in the window that ends at 2020-04-15 08:10:00",
        "JSON_OBJECTAGG(KEY 'x' VALUE d)": "JSON_OBJECTAGG('x', d, NULL) has a key more than once in the window",
    }.items(),
)
def test_what_the_data_must_not_hold(spark, call: str, words: str) -> None:
    with pytest.raises(Exception) as failure:
        answers(spark, "batch", f"{call} AS x")
    assert words in str(explained(failure.value))
