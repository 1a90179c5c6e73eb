"""Values of Python as literals of SQL, and literals as lengths of time."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import FunctionType, MethodType
from typing import Any

from airflow_nrt.basics.types import decimal
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import shown
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.meaning import MeansExpression

_MOST_DIGITS = 10


def node_of(value: Any) -> ast.Expression:
    """The expression of a value: an expression itself, anything else as a literal. Raises InputError if SQL has no such
    literal."""
    if isinstance(value, MeansExpression):
        return value.node
    at = here()
    match value:
        case None:
            return ast.Literal("null", "NULL", at)
        case bool():
            return ast.Literal("boolean", str(value).upper(), at)
        case int() | float() | Decimal():
            return _number(value)
        case str():
            return ast.Literal("string", value, at)
        case datetime():
            return ast.Literal("TIMESTAMP", _shown(value), at)
        case date():
            return ast.Literal("DATE", value.isoformat(), at)
        case time():
            return ast.Literal("TIME", _time_shown(value), at)
        case timedelta():
            return _duration(value // timedelta(milliseconds=1))
        case list() | tuple():
            return ast.Call("ARRAY[ ]", tuple(node_of(one) for one in value), at)
    raise SqlError(
        f"{shown(value)} is no value of SQL{_instead(value)}: there are numbers, texts, truth values, dates and times",
        at,
    )


def _instead(value: Any) -> str:
    """The hint for an object that is often mistaken for a value."""
    from airflow_nrt.functions import Declared

    owner = getattr(value, "__self__", None)
    is_plain = isinstance(value, FunctionType) and value.__module__.startswith(f"{__package__}.")
    if isinstance(owner, MeansExpression) or is_plain:
        return f" before it is called, .{value.__name__}(…)"
    if isinstance(value, MethodType):
        return f", a column of this name is col({value.__name__!r})"
    if isinstance(value, Declared):
        return f" before it is called with columns, {value.title}(col('a'))"
    return ""


def _number(value: float | Decimal) -> ast.Expression:
    """An int is INT or BIGINT, a float DOUBLE, a Decimal DECIMAL."""
    if value != value or value in (float("inf"), float("-inf")):
        raise SqlError(f"SQL has no literal for {value}", here())
    size = abs(value)
    text = f"{size:f}" if isinstance(size, Decimal) else f"{size!r}"
    if isinstance(size, float) and "e" not in text:
        text += "E0"
    literal: ast.Expression = ast.Literal("number", text, here())
    if isinstance(size, Decimal) and "." not in text:
        # The literal of SQL is an integer.
        literal = ast.Cast(ast.Literal("string", text, here()), decimal(len(text), 0, nullable=False), True, here())
    return ast.Unary("-", literal, here()) if value < 0 else literal


def _shown(value: datetime) -> str:
    if value.tzinfo is not None:
        raise SqlError(f"{value} has a zone, a TIMESTAMP has none: leave it out", here())
    return value.isoformat(sep=" ", timespec="milliseconds" if value.microsecond % 1000 == 0 else "microseconds")


def _time_shown(value: time) -> str:
    if value.tzinfo is not None:
        raise SqlError(f"{value} has a zone, a TIME has none: leave it out", here())
    return value.isoformat("seconds" if value.microsecond == 0 else "milliseconds")


def whole_number(node: ast.Expression) -> int | None:
    """The whole number of a literal, None for anything else."""
    sign = 1
    if isinstance(node, ast.Unary) and node.operator == "-":
        node, sign = node.operand, -1
    number = node.whole if isinstance(node, ast.Literal) else None
    return None if number is None else sign * number


def length_of(count: ast.Expression, milliseconds: int) -> ast.Interval:
    """A multiple of a length of time. Raises SqlError if it is no literal."""
    return _duration(_count(count, "lit(10).minutes") * milliseconds)


def months_of(count: ast.Expression, months: int) -> ast.Interval:
    """A multiple of a number of months. Raises SqlError if it is no literal."""
    return ast.Interval(str(_count(count, "lit(2).months") * months), "MONTH", None, None, here())


def _count(node: ast.Expression, example: str) -> int:
    from airflow_nrt.sql.parse.unparse import text_of

    count = whole_number(node)
    if count is None:
        raise SqlError(f"a length of time is a literal, as in {example}; here is {text_of(node)}", here())
    return count


def _duration(milliseconds: int) -> ast.Interval:
    """The interval in the largest unit that gives a whole number."""
    sign, size = ("-", -milliseconds) if milliseconds < 0 else ("", milliseconds)
    for unit, length in (("DAY", 86_400_000), ("HOUR", 3_600_000), ("MINUTE", 60_000), ("SECOND", 1000)):
        if size % length == 0 and size:
            return ast.Interval(f"{sign}{size // length}", unit, None, _MOST_DIGITS, here())
    return ast.Interval(f"{sign}{size // 1000}.{size % 1000:03d}", "SECOND", None, _MOST_DIGITS, here())
