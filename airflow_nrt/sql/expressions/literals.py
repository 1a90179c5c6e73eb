"""Literals as Spark SQL, with Flink's types."""

from __future__ import annotations

import re

from airflow_nrt.basics import times_of_day
from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import BOOLEAN, INTEGER_DIGITS, INTEGER_LIMITS, NULL, DataType, decimal
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast

_TIME_LITERALS = {
    "DATE": (r"\d{4}-\d\d-\d\d", "yyyy-MM-dd"),
    "TIMESTAMP": (r"\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d{1,9})?)?)?", "yyyy-MM-dd HH:mm:ss"),
}
"""The patterns of literals: as a regular expression, and for people."""


def literal(node: ast.Literal) -> Typed:
    """The literal as Spark SQL. Raises SqlError for a date, a time or a number that does not exist."""
    text = node.text
    if node.kind == "null":
        return Typed("NULL", NULL)
    if node.kind == "boolean":
        return Typed(text, BOOLEAN.with_nullable(False), text)
    if node.kind == "string":
        return Typed(string_literal(text), DataType("CHAR", precision=max(len(text), 1), nullable=False), text)
    if node.kind == "bytes":
        return Typed(f"X'{text}'", DataType("BYTES", nullable=False), text)
    if node.kind == "number":
        return _number(node)
    if node.kind in _TIME_LITERALS:
        _check_time_literal(node)
    if node.kind == "DATE":
        return Typed(f"DATE {string_literal(text)}", DataType("DATE", nullable=False), text)
    if node.kind == "TIME":
        return _time(node)
    digits = len(text.partition(".")[2])
    return Typed(f"TIMESTAMP_NTZ {string_literal(text)}", DataType("TIMESTAMP", precision=digits, nullable=False), text)


def _check_time_literal(node: ast.Literal) -> None:
    pattern, shape = _TIME_LITERALS[node.kind]
    try:
        if re.fullmatch(pattern, node.text) is None:
            raise ValueError
        parse_instant(node.text)
    except ValueError:
        raise SqlError(f"{node.kind} {node.text!r} does not exist: write {shape}", node.at) from None


def _time(node: ast.Literal) -> Typed:
    time = times_of_day.literal(node.text)
    if time is None:
        raise SqlError(f"TIME {node.text!r} does not exist: write HH:mm:ss", node.at)
    millis, kind = time
    return Typed(str(millis), kind, node.text)


def _number(node: ast.Literal) -> Typed:
    """A number, exact if it has no exponent.

    1.50 is "CAST('1.50' AS DECIMAL(3,2))".
    """
    text = node.text
    if "e" in text.lower():
        return Typed(f"CAST({text} AS DOUBLE)", DataType("DOUBLE", nullable=False), text)
    text = text.removesuffix(".")
    if "." in text:
        whole, _, fraction = text.partition(".")
        scale = len(fraction)
        precision = max(len(whole.lstrip("0")), len(whole[:1])) + scale
        if precision > 38:
            raise SqlError("a number has at most 38 digits", node.at)
        return Typed(f"CAST('{text}' AS DECIMAL({precision},{scale}))", decimal(precision, scale, nullable=False), text)
    if len(text.lstrip("0")) > INTEGER_DIGITS["BIGINT"] or int(text) > INTEGER_LIMITS["BIGINT"]:
        raise SqlError(f"{text} does not fit BIGINT", node.at)
    if int(text) > INTEGER_LIMITS["INT"]:
        return Typed(f"{text}L", DataType("BIGINT", nullable=False), text)
    return Typed(str(int(text)), DataType("INT", nullable=False), text)
