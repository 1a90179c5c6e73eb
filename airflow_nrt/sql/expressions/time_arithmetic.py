"""`+`, `-` and `*` of dates, times and intervals."""

from __future__ import annotations

from airflow_nrt.basics.times_of_day import as_timestamp, of_timestamp
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.functions.temporal import MONTHS, months_between
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of

_MILLISECONDS = 3
"""The digits of a fraction that an interval has."""


def time_arithmetic(node: ast.Binary, left: Typed, right: Typed) -> Typed:
    """The result if one side is an INTERVAL: "(`ts` + INTERVAL '90.000' SECOND)".

    Raises SqlError if the operator does not take these types.
    """
    if left.type.name == "INTERVAL" and (node.operator == "+" or node.operator == "*"):
        left, right = right, left
    columns = left.columns | right.columns
    if node.operator == "*" and left.type.is_integer:
        kind = right.type.with_nullable(left.type.nullable or right.type.nullable)
        return Typed(f"({left.sql} * {right.sql})", kind, columns=columns, in_months=right.in_months)
    if node.operator in ("+", "-"):
        if left.type.name == "INTERVAL" and right.type.name == "INTERVAL" and left.in_months == right.in_months:
            sql = f"({left.sql} {node.operator} {right.sql})"
            return Typed(sql, right.type, columns=columns, in_months=right.in_months)
        if left.type.name == "DATE" and right.type.name == "INTERVAL":
            # A DATE moves by whole days: hours and minutes are cut.
            interval = right.sql if right.in_months else f"CAST({right.sql} AS INTERVAL DAY)"
            return Typed(f"({left.sql} {node.operator} {interval})", _nullable(left, right), columns=columns)
        if left.type.name == "TIME" and right.type.name == "INTERVAL":
            # After midnight the TIME starts again at 00:00.
            moved = of_timestamp(f"({as_timestamp(left.sql)} {node.operator} {right.sql})")
            return Typed(moved, _nullable(left, right), columns=columns)
        if left.type.is_timestamp and right.type.name == "INTERVAL":
            return Typed(f"({left.sql} {node.operator} {right.sql})", _nullable(left, right), columns=columns)
    what = (
        "multiplied with whole numbers"
        if node.operator == "*"
        else "added to or subtracted from a TIMESTAMP, a DATE or a TIME"
    )
    raise SqlError(f"{text_of(node)}: an interval is {what}, not {left.type.flink}", node.at)


def difference(node: ast.Difference, end: Typed, start: Typed) -> Typed:
    """An interval of milliseconds, or of whole months: "(`expires` - `ts`)", "make_ym_interval(0, …)".

    Raises SqlError if these are no times of one type.
    """
    kind = end.type
    if start.type.name != kind.name or not (kind.is_timestamp or kind.name in ("DATE", "TIME")):
        raise SqlError(
            f"{text_of(node)}: wants two times of one type, not {kind.flink} and {start.type.flink}: CAST one of them",
            node.at,
        )
    in_months = node.unit in MONTHS
    if in_months and kind.name != "TIME":
        later, earlier = (f"CAST({one.sql} AS TIMESTAMP_NTZ)" for one in (end, start))
        sql = f"make_ym_interval(0, {months_between(earlier, later)})"
    else:
        sql = " - ".join(map(_in_milliseconds, (end, start)))
    nullable = kind.nullable or start.type.nullable
    columns = end.columns | start.columns
    return Typed(f"({sql})", DataType("INTERVAL", nullable=nullable), columns=columns, in_months=in_months)


def _in_milliseconds(time: Typed) -> str:
    """An interval has milliseconds: a time with more digits is cut, as in Flink."""
    if time.type.name == "TIME":
        return as_timestamp(time.sql)
    if time.type.name == "DATE":
        return f"CAST({time.sql} AS TIMESTAMP_NTZ)"
    precise = (time.type.precision or 0) > _MILLISECONDS
    return f"CAST(date_trunc('MILLISECOND', {time.sql}) AS {time.type.spark})" if precise else time.sql


def _nullable(left: Typed, right: Typed) -> DataType:
    return left.type.with_nullable(left.type.nullable or right.type.nullable)
