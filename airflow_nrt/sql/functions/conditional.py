"""Functions that choose between values."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.report.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.functions.signature import Function, check_count
from airflow_nrt.sql.typed import Typed, common_type


def _common(arguments: Sequence[Typed], at: Place, name: str) -> DataType:
    kind = common_type([argument.type for argument in arguments])
    if kind is None:
        listed = ", ".join(argument.type.flink for argument in arguments)
        raise SqlError(f"the values of {name} have different types: {listed}", at)
    return kind


def _coalesce(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 1, None)
    kind = _common(arguments, at, name)
    listed = ", ".join(f"CAST({argument.sql} AS {kind.spark})" for argument in arguments)
    return Typed(f"coalesce({listed})", kind.with_nullable(all(argument.type.nullable for argument in arguments)))


def _if_null(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 2)
    return _coalesce(arguments, at, name)


def _null_if(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 2)
    _common(arguments, at, name)
    return Typed(f"nullif({arguments[0].sql}, {arguments[1].sql})", arguments[0].type.with_nullable(True))


def _if(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 3, 3)
    condition, *values = arguments
    if condition.type.name not in ("BOOLEAN", "NULL"):
        raise SqlError(f"argument 1 of IF must be a condition, it is {condition.type.flink}", at)
    kind = _common(values, at, name)
    yes, no = (f"CAST({value.sql} AS {kind.spark})" for value in values)
    return Typed(f"IF({condition.sql}, {yes}, {no})", kind)


CONDITIONAL: dict[str, Function] = {"COALESCE": _coalesce, "IFNULL": _if_null, "NULLIF": _null_if, "IF": _if}
