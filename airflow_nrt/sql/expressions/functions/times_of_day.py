"""Functions of timestamps that also take a TIME, which they compute with as a timestamp of one day."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airflow_nrt.basics.times_of_day import as_timestamp, of_timestamp
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import Function
from airflow_nrt.sql.expressions.typed import Typed

_UNITS = ("HOUR", "MINUTE", "SECOND", "MILLISECOND")

UnitOf = Callable[[Sequence[Typed]], str]


def of_times(function: Function, unit_of: UnitOf | None = None) -> Function:
    """The function, which also takes a TIME in place of a TIMESTAMP, and then gives a TIME.

    `unit_of` its arguments is a unit that the time must have.
    """

    def on_one_day(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        times = [one for one in arguments if one.type.name == "TIME"]
        if not times:
            return function(arguments, at, name)
        if unit_of is not None and unit_of(arguments) not in _UNITS:
            raise SqlError(f"{name}: a TIME has no {unit_of(arguments)}, it has {', '.join(_UNITS)}", at)
        others = [one.type.flink for one in arguments if one.type.is_timestamp or one.type.name == "DATE"]
        if others:
            raise SqlError(f"{name} of {others[0]} and {times[0].type.flink}: CAST one of them", at)
        result = function([_on_one_day(one) for one in arguments], at, name)
        if not result.type.is_timestamp:
            return result
        return result.computed(of_timestamp(result.sql), times[0].type.with_nullable(result.type.nullable))

    return on_one_day


def _on_one_day(one: Typed) -> Typed:
    if one.type.name != "TIME":
        return one
    return Typed(as_timestamp(one.sql), DataType("TIMESTAMP", precision=3, nullable=one.type.nullable))
