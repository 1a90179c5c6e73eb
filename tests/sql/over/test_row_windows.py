# ruff: noqa: E501 (a row of a table is one line)
"""OVER by time: the spellings that there are, and what the plan says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

WINDOWS = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))"
TOTALS = f"(SELECT shop, COUNT(*) AS n, window_start, window_end, window_time FROM {WINDOWS} GROUP BY shop, window_start, window_end, window_time)"
ALL, ROWS, HOUR = ("RANGE", None, 0), ("ROWS", 2, 0), ("RANGE", 3_600_000, 0)


def planned(query: str) -> Plan:
    return plan_query(ORDERS, query, Path("/"))


@pytest.mark.parametrize(
    ("query", "frames"),
    [
        ("SELECT COUNT(*) OVER (ORDER BY ts) FROM orders", [ALL]),
        ("SELECT COUNT(*) OVER (ORDER BY ts RANGE UNBOUNDED PRECEDING) FROM orders", [ALL]),
        ("SELECT COUNT(*) OVER (ORDER BY ts ROWS UNBOUNDED PRECEDING) FROM orders", [("ROWS", None, 0)]),
        ("SELECT COUNT(*) OVER (PARTITION BY shop ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders", [ROWS]),
        ("SELECT COUNT(*) OVER (ORDER BY ts RANGE INTERVAL '1' HOUR PRECEDING) FROM orders", [HOUR]),
        ("SELECT COUNT(*) OVER (ORDER BY ts ROWS CURRENT ROW) + 1 FROM orders", [("ROWS", 0, 0)]),
        ("SELECT LAG(price, 2, 0) OVER (PARTITION BY shop ORDER BY ts) FROM orders", [("ROWS", 2, 2)]),
        ("SELECT COUNT(*) FILTER (WHERE price > 5) OVER (ORDER BY ts), SUM(DISTINCT price) OVER (ORDER BY ts ROWS 2 PRECEDING) FROM orders", [ALL, ROWS]),
        ("SELECT COUNT(price, shop) OVER w, LISTAGG(shop, '|') OVER (w ROWS 2 PRECEDING) FROM orders WINDOW w AS (ORDER BY ts)", [ALL, ROWS]),
        ("SELECT COUNT(*) OVER v FROM orders AS o WINDOW w AS (PARTITION BY o.shop), v AS (w ORDER BY o.ts)", [ALL]),
        ("SELECT ROW_NUMBER() OVER (PARTITION BY o.shop ORDER BY o.ts) FROM orders AS o", [("ROWS", None, 0)]),
        ("SELECT * FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY ts) AS n FROM orders) WHERE n > 3", [("ROWS", None, 0)]),
        (f"SELECT SUM(n) OVER (PARTITION BY shop ORDER BY window_time ROWS 2 PRECEDING) FROM {TOTALS}", [ROWS]),
        (f"SELECT SUM(price) OVER (ORDER BY window_time) FROM {WINDOWS}", [ALL]),
        ("SELECT SUM(n) OVER (ORDER BY ts) FROM (SELECT ts, COUNT(*) OVER (ORDER BY ts) AS n FROM orders)", [ALL]),
    ],
)  # fmt: skip
def test_frames(query: str, frames: list[tuple[str, int | None, int]]) -> None:
    operator = planned(query).operators[-1]
    assert [(frame.unit, frame.low, frame.high) for frame in operator.frames] == frames


def test_a_ranking_by_a_named_window() -> None:
    ranked = "ROW_NUMBER() OVER w AS place FROM {} WINDOW w AS (PARTITION BY {} ORDER BY n DESC)"
    windowed = planned(
        f"SELECT n, place FROM (SELECT *, {ranked.format(TOTALS, 'window_start, window_end')}) WHERE place < 3"
    )
    assert len(windowed.operators) == 1 and "row_number()" in windowed.inserts[0].query.sql
    ever = "(SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop)"
    assert planned(f"SELECT n, place FROM (SELECT *, {ranked.format(ever, 'shop')}) WHERE place < 3").updating


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("COUNT(*) OVER (PARTITION BY shop)", "column 22: OVER needs ORDER BY with the time attribute"),
        ("COUNT(*) OVER (ORDER BY ts, price)", "OVER by more than the time attribute, or above windows by anything else: not there yet; ORDER BY ts"),
        ("COUNT(*) OVER (ORDER BY ts DESC)", "column 32: The window can only be ordered in ASCENDING mode"),
        ("COUNT(*) OVER (ORDER BY ts ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING)", "column 35: OVER ROWS PRECEDING windows are not supported yet: end the frame at CURRENT ROW"),
        ("COUNT(*) OVER (ORDER BY ts ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)", "OVER ROWS FOLLOWING windows are not supported yet"),
        ("COUNT(*) OVER (ORDER BY ts RANGE BETWEEN 5 PRECEDING AND CURRENT ROW)", "RANGE takes an interval"),
        ("COUNT(*) OVER (ORDER BY ts ROWS 1 + 1 PRECEDING)", "a whole number of rows is needed, not 1 + 1"),
        ("COUNT(*) OVER (ORDER BY ts ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW)", "column 35: the frame ends before it begins"),
        ("COUNT(*) OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED FOLLOWING AND UNBOUNDED FOLLOWING)", "OVER ROWS FOLLOWING windows are not supported yet without a bound"),
        ("LEAD(price, 1, 'none') OVER (ORDER BY ts)", "column 23: the default of LEAD is CHAR(4), not DECIMAL(10, 2)"),
        ("LAG(price, 1, 'none') OVER (ORDER BY ts)", "column 22: the default of LAG is CHAR(4), not DECIMAL(10, 2)"),
        ("LAG(price, 1, price) OVER (ORDER BY ts)", "a default of LAG that reads columns: not there yet"),
        ("LAG(price, 1) OVER (ORDER BY ts ROWS 1 PRECEDING)", "LAG takes no frame"),
        ("COUNT(*) OVER x", "there is no window 'x' in WINDOW"),
        ("COUNT(*) OVER (w PARTITION BY id)", "a window that refers to 'w' can add only an ORDER BY and a frame that 'w' lacks"),
        ("COUNT(*) OVER (w ORDER BY ts)", "a window that refers to 'w' can add only"),
        ("COUNT(*), COUNT(*) OVER w", "Expression 'shop' is not being grouped: add it to GROUP BY"),
    ],
)  # fmt: skip
def test_what_is_refused(call: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        planned(f"SELECT {call} FROM orders WINDOW w AS (PARTITION BY shop ORDER BY ts)")
    assert message in str(refused.value)


def test_a_window_has_one_definition() -> None:
    with pytest.raises(InputError, match="there are two windows 'w' in WINDOW"):
        planned("SELECT COUNT(*) OVER w FROM orders WINDOW w AS (ORDER BY ts), w AS (ORDER BY ts)")


def test_rows_that_change() -> None:
    with pytest.raises(InputError, match="OVER by time over rows that change: not there yet"):
        planned("SELECT COUNT(*) OVER (PARTITION BY shop) FROM (SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop)")


def test_calls_that_wait_for_different_things_are_parts() -> None:
    w, by_id, hour = (
        "(PARTITION BY shop ORDER BY ts)",
        "(PARTITION BY id ORDER BY ts)",
        "RANGE INTERVAL '1' HOUR PRECEDING",
    )
    calls = f"price, LEAD(price) OVER {w}, SUM(price) OVER (ORDER BY ts {hour}), LEAD(price, 2) OVER {by_id}, LAG(id) OVER {w}"
    plan = planned(f"SELECT {calls} FROM orders WHERE price > 3")
    *parts, whole = plan.operators
    assert [[call.text for call in one.aggregates] for one in parts] == [
        ["SUM(price)", "LAG(id)"], ["LEAD(price)"], ["LEAD(price, 2)"],
    ]  # fmt: skip
    assert all(one.strict for one in parts), "the same rows are late in each"
    assert (whole.parts, whole.input.inputs) == (3, ("w1", "w2", "w3"))
    described = describe(plan)
    assert described["operators"][1]["frames"] == ["PARTITION BY shop, ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING"]
    assert described["operators"][3]["bounded_by"] == "how many rows wait in w1, w2, w3"
    assert described["inserts"][0]["steps"][-1]["operators"] == ["w1", "w2", "w3", "w4"]
    alone = planned(f"SELECT LEAD(price) OVER {w}, SUM(price) OVER {w}, LAG(price) OVER {w} FROM orders")
    assert len(alone.operators) == 1, "rows of one partition are complete in their order"


def operator_of(query: str) -> dict[str, Any]:
    (operator,) = describe(planned(f"SELECT {query} FROM orders"))["operators"]
    return operator


def test_what_is_kept() -> None:
    lately = operator_of("COUNT(*) OVER (PARTITION BY shop ORDER BY ts RANGE INTERVAL '1' HOUR PRECEDING)")
    assert lately["stored"] == ["rows that have not fired", "rows that the bounded frames of later ones look at"]
    assert lately["bounded_by"].endswith(
        "a key is forgotten one to one and a half times its length after the key's last row"
    )
    next_ones = operator_of("LEAD(price, 2) OVER (PARTITION BY shop ORDER BY ts)")
    assert next_ones["published"].startswith("when the watermark has reached a row and 2 rows after it, or the input")
    assert next_ones["bounded_by"].endswith("how many keys there are: none is forgotten")
    ever = operator_of(
        "SUM(price) OVER w, COUNT(DISTINCT id) OVER w, LISTAGG(shop) OVER w".replace("w", "(ORDER BY ts)")
    )
    assert ever["stored"][1:] == [
        "one partial of all rows that fired for each key of an unbounded frame, and the values of COUNT(DISTINCT id), "
        "LISTAGG(shop)"
    ]
    both = operator_of("SUM(price) OVER (ORDER BY ts), LAG(price) OVER (ORDER BY ts)")
    assert len(both["stored"]) == 3 and both["bounded_by"] == ever["bounded_by"]
    assert ever["bounded_by"] == "the frames, and how many keys there are: none is forgotten"
    several = "COUNT(*) OVER (PARTITION BY {} ORDER BY ts RANGE INTERVAL '1' HOUR PRECEDING)"
    assert operator_of(f"{several.format('shop')}, {several.format('id')}")["bounded_by"] == "the longest frame"
