"""Whatever a script looks like, the answer is a plan or an error with a place; it comes soon.

`AIRFLOW_NRT_FUZZ=50000` tries as many scripts, other ones each time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.load import load_report, plan_script
from airflow_nrt.sql.planner import plan_query
from tests.sample import CURVE, INSERT, ORDERS
from tests.sql.generated import CURVE as CURVE_REPORT
from tests.sql.generated import SCRIPTS, TABLES, grown, mutations, spoiled_queries

BASE = Path("/base")
EXAMPLES = int(os.environ.get("AIRFLOW_NRT_FUZZ", "2000"))
SHORT = 2000
"""No word of a script nests by itself, so that so few of them can't reach the depth of the stack."""
FUZZ = settings(max_examples=EXAMPLES // 4, derandomize="AIRFLOW_NRT_FUZZ" not in os.environ)


def check(plan: Callable[[], Plan], script: str) -> None:
    """What is short does not nest deeply, whatever it says."""
    is_short = len(script) < SHORT
    started = time.monotonic()
    try:
        plan()
    except InputError as wrong:
        assert isinstance(wrong, (SqlError, SqlErrors))
        problems = wrong.problems if isinstance(wrong, SqlErrors) else (wrong,)
        assert problems and all(one.at.line >= 1 and one.at.column >= 1 and one.message for one in problems)
        assert str(wrong)
        if is_short:
            assert "nests too deeply" not in str(wrong)
    assert time.monotonic() - started < 10


@FUZZ
@given(mutations(SCRIPTS))
def test_a_spoiled_script(script: str) -> None:
    check(lambda: plan_script(script, {}, "fuzz", BASE), script)


@FUZZ
@given(spoiled_queries())
def test_a_spoiled_query(query: tuple[str, str]) -> None:
    check(lambda: plan_query(*query, BASE), query[1])


@FUZZ
@given(grown("script"))
def test_a_grown_script(script: str) -> None:
    check(lambda: plan_script(script, {}, "fuzz", BASE), script)


@FUZZ
@given(grown("query"))
def test_a_grown_query(query: str) -> None:
    check(lambda: plan_query(TABLES, query, BASE), query)


def seconds_of(script: str) -> float:
    """Processor time, the best of five: what else the machine does is not meant."""

    def once() -> float:
        started = time.process_time()
        plan_script(script, {}, "curves", BASE)
        return time.process_time() - started

    return min(once() for _ in range(5))


def test_ten_statements_are_checked_at_once() -> None:
    sinks = [CURVE.replace("curve", f"curve{n}") for n in range(4)]
    inserts = [INSERT.replace("curve", f"curve{n % 4}").replace("'1' HOUR", f"'{n + 1}' HOURS") for n in range(5)]
    seconds = seconds_of("".join([ORDERS, *sinks, *inserts]))
    print(f"{1 + len(sinks) + len(inserts)} statements: {seconds * 1000:.1f} ms")
    assert seconds < 0.1


def test_the_curve_is_checked_at_once() -> None:
    started = time.perf_counter()
    plan = load_report(CURVE_REPORT, {"DATA": "/data"})
    seconds = time.perf_counter() - started
    print(f"{CURVE_REPORT.name}: {seconds * 1000:.1f} ms")
    assert plan.name == "orders_curve"
    assert seconds < 1
