"""What a typed expression says of itself: a column, a time attribute, an interval of months; and equality."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.types import BIGINT, STRING, TIMESTAMP3, DataType
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import TimeAttribute, Typed
from airflow_nrt.sql.parse.statements import parse_expression

INSTANT = DataType("TIMESTAMP_LTZ", precision=3)
EVENT = DataType("ROW", children=(("at", TIMESTAMP3), ("sent", TIMESTAMP3)))
COLUMNS = (
    ScopeColumn("n", BIGINT),
    ScopeColumn("odd `name`", BIGINT),
    ScopeColumn("s", STRING),
    ScopeColumn("clock", DataType("TIME", precision=3)),
    ScopeColumn("tags", DataType("ARRAY", children=(("element", STRING),))),
    ScopeColumn("ts", TIMESTAMP3, rowtime=True),
    ScopeColumn("pt", INSTANT, proctime=True),
    ScopeColumn("event", EVENT, rowtime_path=("at",)),
)


def typed(expression: str) -> Typed:
    return Compiler(Scope(COLUMNS, "t", has_batch=True)).compile(parse_expression(expression))


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("n", "n"),
        ("t.n", "n"),
        ("(n)", "n"),
        ("`odd ``name```", "odd `name`"),
        ("GREATEST(n)", "n"),
        ("TRUNCATE(n, 0)", "n"),
        ("CAST(clock AS TIME(3))", "clock"),
        ("CAST(tags AS ARRAY<STRING>)", "tags"),
        ("CAST(clock AS TIME(0))", None),
        ("CAST(tags AS ARRAY<INT>)", None),
        ("CAST(n AS BIGINT)", None),
        ("TRUNCATE(n, -1)", None),
        ("-n", None),
        ("n + 0", None),
        ("UPPER(s)", None),
        ("event.at", None),
        ("'n'", None),
        ("NULL", None),
    ],
)
def test_a_column(expression: str, column: str | None) -> None:
    assert typed(expression).column == column


@pytest.mark.parametrize(
    ("expression", "time"),
    [
        ("ts", TimeAttribute.ROWTIME),
        ("t.ts", TimeAttribute.ROWTIME),
        ("event.at", TimeAttribute.ROWTIME),
        ("t.event.at", TimeAttribute.ROWTIME),
        ("pt", TimeAttribute.PROCTIME),
        ("PROCTIME()", TimeAttribute.PROCTIME),
        ("event.sent", None),
        ("event", None),
        ("CAST(ts AS TIMESTAMP(3))", None),
        ("ts + INTERVAL '1' SECOND", None),
        ("LOCALTIMESTAMP", None),
        ("CAST(PROCTIME() AS STRING)", None),
    ],
)
def test_a_time_attribute(expression: str, time: TimeAttribute | None) -> None:
    assert typed(expression).time_attribute is time


@pytest.mark.parametrize(
    ("expression", "in_months"),
    [
        ("INTERVAL '1' MONTH", True),
        ("- INTERVAL '1' YEAR", True),
        ("INTERVAL '1' QUARTER * 2", True),
        ("n * INTERVAL '1-2' YEAR TO MONTH + INTERVAL '1' MONTH", True),
        ("INTERVAL '1' DAY", False),
        ("n * INTERVAL '30' DAY", False),
        ("ts + INTERVAL '1' MONTH", False),
    ],
)
def test_an_interval_of_months(expression: str, in_months: bool) -> None:
    assert typed(expression).in_months == in_months


def test_expressions_are_equal_if_they_compute_the_same() -> None:
    assert typed("t.n + 1") == typed("n+1")
    assert typed("n + 1") != typed("1 + n")
    assert typed("`odd ``name```") != typed("n")
    assert len({typed("ts"), typed("t.ts"), typed("event.at")}) == 2


def test_a_computed_expression_is_no_column() -> None:
    doubled = typed("ts").computed("`ts` + `ts`")
    assert (doubled.column, doubled.time_attribute, doubled.columns) == (None, None, frozenset({"ts"}))
