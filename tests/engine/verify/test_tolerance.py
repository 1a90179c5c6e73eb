"""How far FLOAT and DOUBLE of an insert may differ: what its aggregates say, also those below them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_nrt.engine.verify.tolerance import tolerance_of
from airflow_nrt.model.aggregates import AGGREGATES, ROUNDING
from tests.sample import plan_of

EVENTS = """CREATE TABLE events (shop INT, weight DOUBLE, price DECIMAL(10, 2), ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES)
WITH ('connector' = 'filesystem', 'path' = 'events', 'format' = 'csv');
CREATE TABLE curve (shop INT, x DOUBLE) WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');
"""
HOURS = "TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
OF_HOURS = f"SELECT shop, {{}} AS x, window_start, window_end FROM {HOURS} GROUP BY shop, window_start, window_end"
GROUPED = "SELECT shop, {} AS x FROM events GROUP BY shop"
"""Without a window: what is written are changes, so it is printed."""


def tolerance(query: str, events: str = EVENTS) -> float:
    plan = plan_of(events + f"INSERT INTO curve {query};")
    return tolerance_of(plan, plan.inserts[0])


def in_hours(value: str) -> float:
    return tolerance(f"SELECT shop, x FROM ({OF_HOURS.format(value)})")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("MAX(weight)", 0),
        ("FIRST_VALUE(weight)", 0),
        ("PERCENTILE(weight, 0.5)", 0),
        ("CAST(COUNT(DISTINCT weight) AS DOUBLE)", 0),
        ("CAST(SUM(price) AS DOUBLE)", 0),
        ("CAST(VAR_POP(shop) AS DOUBLE)", 0),
        ("SUM(weight)", ROUNDING),
        ("AVG(weight) + MAX(weight)", ROUNDING),
        ("VAR_POP(weight)", ROUNDING),
    ],
)
def test_what_additions_in_another_order_can_change(value: str, expected: float) -> None:
    assert in_hours(value) == expected
    printed = EVENTS.replace("'filesystem', 'path' = 'curve', 'format' = 'json'", "'print'")
    assert tolerance(GROUPED.format(value), printed) == expected


def test_rows_are_as_they_are() -> None:
    assert tolerance("SELECT shop, weight FROM events") == 0


@pytest.mark.parametrize(("value", "expected"), [("MAX(weight)", 0), ("SUM(weight)", ROUNDING)])
def test_an_aggregate_of_aggregates(value: str, expected: float) -> None:
    bounds = "window_start, window_end"
    highest = f"SELECT MIN(shop) AS shop, MAX(x) AS x, {bounds} FROM ({OF_HOURS.format(value)}) GROUP BY {bounds}"
    assert tolerance(f"SELECT shop, x FROM ({highest})") == expected


def test_an_aggregate_says_how_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGGREGATES, "SUM", replace(AGGREGATES["SUM"], tolerance=0.25))
    assert (in_hours("SUM(weight)"), in_hours("AVG(weight)")) == (0.25, ROUNDING)
