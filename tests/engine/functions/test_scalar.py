"""Python functions on executors: their values, what they raise, and what they must not return."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.engine.batch.analysis import analyse
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.planner import plan_query
from tests.engine.reports import write_lines
from tests.in_turn import thorough
from tests.python_modules import write_module

MODULE = """
    from __future__ import annotations
    from datetime import date, datetime, timedelta, timezone
    from decimal import Decimal
    from typing import Annotated

    NAMES = {1: "one"}

    def named(n: int | None, other: str = "?") -> str: return NAMES.get(n, other)
    def next_day(at: datetime) -> date: return (at + timedelta(days=1)).date()
    def exactly(at: datetime) -> datetime: return at + timedelta(microseconds=1999)
    def taxed(p: Decimal) -> Annotated[Decimal, "DECIMAL(10, 2)"]: return p * Decimal("2.004")
    def tiny(p: Decimal) -> Annotated[Decimal, "DECIMAL(3, 2)"]: return p * 8
    def ratio(n: int) -> float: return n
    def inverse(n: int) -> int: return 1 // (n - 2)
    def text(n: int) -> int: return "one"
    def truth(n: int) -> int: return True
    def huge(n: int) -> Annotated[int, "INT"]: return 2**31
    def zoned(at: datetime) -> datetime: return at.replace(tzinfo=timezone.utc)
    def moment(at: datetime) -> date: return at
"""
FUNCTIONS = (
    "named",
    "next_day",
    "exactly",
    "taxed",
    "tiny",
    "ratio",
    "inverse",
    "text",
    "truth",
    "huge",
    "zoned",
    "moment",
)
ROWS = [
    {"n": 1, "p": "1.255", "ts": "2026-01-01 00:00:00.001"},
    {"n": 2, "p": None, "ts": None},
    {"n": None, "p": "3.000", "ts": "2026-12-31 23:59:59.999"},
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    directory = tmp_path_factory.mktemp("report")
    write_lines(directory / "t" / "rows.json", map(json.dumps, ROWS))
    return directory, write_module(directory, MODULE)


def plan(place: tuple[Path, str], items: str) -> Plan:
    directory, module = place
    functions = [f"CREATE FUNCTION {name} AS '{module}.{name}' LANGUAGE PYTHON;" for name in FUNCTIONS]
    table = (
        "CREATE TABLE t (n INT, p DECIMAL(10, 3), ts TIMESTAMP(3), called AS named(n)) "
        "WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"
    )
    return plan_query("\n".join([*functions, table]), f"SELECT {items} FROM t", directory)


def rows(spark: Any, plan: Plan, mode: str) -> list[list[Any]]:
    found = [list(json.loads(line).values()) for line in run_bounded(spark, plan, mode)]
    return sorted(found, key=lambda row: (row[0] is None, row[0]))


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_values(spark, place, mode: str) -> None:
    """A parameter that takes no None is never asked with NULL: then the result is NULL."""
    one = plan(
        place, "n, called, named(n, 'x') AS x, next_day(ts) AS d, exactly(ts) AS e, taxed(p) AS p, ratio(n) AS r"
    )
    analyse(spark, one)
    assert rows(spark, one, mode) == [
        [1, "one", "one", "2026-01-02", "2026-01-01 00:00:00.002", "2.52", 1.0],
        [2, "?", "x", None, None, None, 2.0],
        [None, "?", "x", "2027-01-01", "2027-01-01 00:00:00.000", "6.01", None],
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("inverse(n)", "function inverse(n=2) raised ZeroDivisionError: integer division or modulo by zero"),
        *thorough(
            ("text(n)", "raised TypeError: the result 'one' is no BIGINT"),
            ("truth(n)", "raised TypeError: the result True is no BIGINT"),
            ("huge(n)", "raised OverflowError: the result 2147483648 does not fit INT"),
            ("tiny(p)", "function tiny(p=Decimal('1.255')) raised OverflowError"),
            ("zoned(ts)", "has a zone, a TIMESTAMP has none: leave it out"),
            ("moment(ts)", "is no DATE"),
        ),
    ],
)
def test_what_it_raises_ends_the_driver(spark, place, call: str, message: str) -> None:
    with pytest.raises(Exception) as failure:
        list(run_bounded(spark, plan(place, f"{call} AS c"), "stream"))
    assert message in str(explained(failure.value))
