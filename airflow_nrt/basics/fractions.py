"""The fraction of a second: a TIMESTAMP(p) or TIMESTAMP_LTZ(p) has p digits of it, and Spark keeps six."""

from __future__ import annotations

from airflow_nrt.basics.nested_values import converted, holds
from airflow_nrt.basics.types import DataType

FULL_DIGITS = 6
"""The digits that Spark keeps."""
_OF_MILLISECONDS = 3
_UNITS = {0: "SECOND", 3: "MILLISECOND"}


def fraction_digits(kind: DataType) -> int:
    """The fraction digits of a TIMESTAMP or TIMESTAMP_LTZ."""
    return FULL_DIGITS if kind.precision is None else kind.precision


def is_coarse(kind: DataType) -> bool:
    """Whether Spark keeps more digits than the type has."""
    return kind.is_timestamp and fraction_digits(kind) < FULL_DIGITS


def holds_coarse(kind: DataType) -> bool:
    """Whether it is such a type, or contains one."""
    return holds(kind, is_coarse)


def cut(sql: str, kind: DataType) -> str:
    """A value with each time in it cut to the digits of its type: towards the past, also before 1970.

    >>> print(cut("t", DataType("TIMESTAMP", 3)))
    CAST(date_trunc('MILLISECOND', t) AS TIMESTAMP_NTZ)
    """
    return converted(sql, kind, is_coarse, _cut)


def truncated(sql: str, kind: DataType) -> str:
    """A time as CAST gives it to a type: as Flink does, with less than three digits towards 1970.

    >>> print(truncated("t", DataType("TIMESTAMP", 0)))
    CAST(timestamp_millis(unix_millis(CAST(t AS TIMESTAMP)) div 1000 * 1000) AS TIMESTAMP_NTZ)
    """
    if not is_coarse(kind):
        return sql
    if fraction_digits(kind) >= _OF_MILLISECONDS:
        return _cut(sql, kind)
    unit = 10 ** (_OF_MILLISECONDS - fraction_digits(kind))
    return f"CAST(timestamp_millis(unix_millis({_instant(sql, kind)}) div {unit} * {unit}) AS {kind.spark})"


def _cut(sql: str, kind: DataType) -> str:
    """SQL of a time with fewer digits.

    >>> print(_cut("t", DataType("TIMESTAMP_LTZ", 1)))
    CAST(timestamp_micros(unix_micros(t) - pmod(unix_micros(t), 100000)) AS TIMESTAMP)
    """
    digits = fraction_digits(kind)
    if digits in _UNITS:
        return f"CAST(date_trunc('{_UNITS[digits]}', {sql}) AS {kind.spark})"
    micros = f"unix_micros({_instant(sql, kind)})"
    return f"CAST(timestamp_micros({micros} - pmod({micros}, {10 ** (FULL_DIGITS - digits)})) AS {kind.spark})"


def _instant(sql: str, kind: DataType) -> str:
    """SQL of a time as an instant: "CAST(t AS TIMESTAMP)", where it is none yet."""
    return sql if kind.name == "TIMESTAMP_LTZ" else f"CAST({sql} AS TIMESTAMP)"
