"""Functions of dates and timestamps; an instant (TIMESTAMP_LTZ) is read on the session's clock."""

from __future__ import annotations

import re
from collections.abc import Sequence

from airflow_nrt.report.spelling import string_literal
from airflow_nrt.report.types import DataType
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.functions.signature import Function, any_nullable, check_count, check_string
from airflow_nrt.sql.local_time import as_local
from airflow_nrt.sql.typed import Typed

_PARTS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND")
_SAFE_PATTERN = re.compile(r"(?:[yMdHmsS]|[^A-Za-z']|'[^']*')*")
_DEFAULT_PATTERN = "yyyy-MM-dd HH:mm:ss"


def _check_time(argument: Typed, at: Place, name: str) -> None:
    if argument.type.name not in ("TIMESTAMP", "DATE"):
        raise SqlError(f"{name} wants a TIMESTAMP or a DATE, not {argument.type.flink}", at)


def _extract(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 2)
    unit, operand = arguments
    if unit.sql not in _PARTS:
        raise NotThereYet(f"EXTRACT({unit.sql} …)", at)
    return _part(unit.sql, operand, at)


def _part(unit: str, operand: Typed, at: Place) -> Typed:
    operand = as_local(operand)
    _check_time(operand, at, unit)
    if operand.type.name == "DATE" and unit in ("HOUR", "MINUTE", "SECOND"):
        raise SqlError(f"a DATE has no {unit}", at)
    spark = {"WEEK": "weekofyear", "DAY": "dayofmonth"}.get(unit, unit.lower())
    return Typed(f"CAST({spark}({operand.sql}) AS BIGINT)", DataType("BIGINT", nullable=operand.type.nullable))


def _part_function(unit: str) -> Function:
    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        return _part(unit, arguments[0], at)

    return function


def _pattern(argument: Typed, at: Place, name: str) -> str:
    """The format pattern, restricted to letters that mean the same in Flink and in Spark."""
    if argument.constant is None:
        raise NotThereYet(f"{name} with a pattern that is not a constant", at)
    if not _SAFE_PATTERN.fullmatch(argument.constant):
        raise NotThereYet(
            f"{name} with pattern {argument.constant!r}", at, "the letters y, M, d, H, m, s and S are there"
        )
    return string_literal(argument.constant)


def _date_format(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 2)
    shown = as_local(arguments[0])
    _check_time(shown, at, name)
    pattern = _pattern(arguments[1], at, name)
    return Typed(f"date_format({shown.sql}, {pattern})", DataType("STRING", nullable=shown.type.nullable))


def _to_timestamp(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 1, 2)
    check_string(arguments[0], 1, at, name)
    kind = DataType("TIMESTAMP", precision=3)
    if len(arguments) == 1:
        return Typed(f"try_cast({arguments[0].sql} AS TIMESTAMP_NTZ)", kind)
    pattern = _pattern(arguments[1], at, name)
    return Typed(f"CAST(try_to_timestamp({arguments[0].sql}, {pattern}) AS TIMESTAMP_NTZ)", kind)


def _to_date(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 1, 2)
    check_string(arguments[0], 1, at, name)
    if len(arguments) == 1:
        return Typed(f"try_cast({arguments[0].sql} AS DATE)", DataType("DATE"))
    pattern = _pattern(arguments[1], at, name)
    return Typed(f"CAST(try_to_timestamp({arguments[0].sql}, {pattern}) AS DATE)", DataType("DATE"))


def _from_unixtime(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 1, 2)
    if not arguments[0].type.is_integer:
        raise SqlError(f"argument 1 of {name} must be seconds as a whole number, it is {arguments[0].type.flink}", at)
    pattern = _pattern(arguments[1], at, name) if len(arguments) == 2 else string_literal(_DEFAULT_PATTERN)
    nullable = any_nullable(arguments)
    shown = as_local(Typed(f"timestamp_seconds({arguments[0].sql})", DataType("TIMESTAMP_LTZ", precision=0)))
    return Typed(f"date_format({shown.sql}, {pattern})", DataType("STRING", nullable=nullable))


def round_to_unit(operand: Typed, unit: str, *, up: bool, at: Place) -> Typed:
    """`FLOOR(ts TO unit)` and `CEIL(ts TO unit)`."""
    if operand.type.name != "TIMESTAMP" or unit not in _PARTS:
        raise NotThereYet(f"{'CEIL' if up else 'FLOOR'}({operand.type.flink} TO {unit})", at)
    floor = f"CAST(date_trunc('{unit}', {operand.sql}) AS TIMESTAMP_NTZ)"
    if not up:
        return Typed(floor, operand.type)
    months = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}.get(unit)
    step = f"INTERVAL '{months}' MONTH" if months else {"WEEK": "INTERVAL '7' DAY"}.get(unit, f"INTERVAL '1' {unit}")
    return Typed(f"IF({floor} = {operand.sql}, {floor}, {floor} + {step})", operand.type)


TEMPORAL: dict[str, Function] = {
    "EXTRACT": _extract,
    "DATE_FORMAT": _date_format,
    "TO_TIMESTAMP": _to_timestamp,
    "TO_DATE": _to_date,
    "FROM_UNIXTIME": _from_unixtime,
    **{unit: _part_function(unit) for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")},
    "DAYOFMONTH": _part_function("DAY"),
}
