"""The aggregates: what is known of each without Spark. How one is computed is in `engine/aggregates/`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import BIGINT, DOUBLE, STRING, DataType, decimal, multiset

ResultType = Callable[[DataType], DataType]
"""The result type for the type of the operand. Raises InputError for a type that the aggregate does not take; the
message is put after the aggregate's name."""


def _any(kind: DataType) -> bool:
    return True


def _none(kind: DataType) -> bool:
    return False


@dataclass(frozen=True)
class Aggregate:
    """An aggregate by its name in SQL.

    `result` is Flink's result type. `holds_values`: the accumulator grows with its input values. `order_sensitive`: the
    result depends on the order in which rows arrived. `counts_repeats`: DISTINCT makes a difference; it makes none to
    MIN, because the least distinct value is the least value. `leaves` says for which operand types a distinct value can
    be subtracted from a window again exactly. Then the operator keeps one set of values for all its calls.
    `over_any_order`: OVER may order its rows by anything, also rows that change.
    """

    name: str
    result: ResultType
    holds_values: bool = False
    order_sensitive: bool = False
    counts_repeats: bool = True
    leaves: Callable[[DataType], bool] = _none
    over_any_order: bool = False


def _always(kind: DataType) -> ResultType:
    return lambda operand: kind


def _number(of_decimal: Callable[[DataType], DataType]) -> ResultType:
    """The operand's own type; for DECIMAL what `of_decimal` makes of it."""

    def result(kind: DataType) -> DataType:
        if not kind.is_numeric:
            raise InputError(f"wants a number, here is {kind.flink}")
        return of_decimal(kind) if kind.name == "DECIMAL" else kind

    return result


def _value(kind: DataType) -> DataType:
    """One of the values."""
    if kind.name in ("ROW", "ARRAY"):
        raise InputError(f"can't be taken of {kind.flink}")
    return _any_value(kind)


def _any_value(kind: DataType) -> DataType:
    """One of the values, also a ROW or an ARRAY."""
    if kind.holds("MAP", "NULL"):
        raise InputError(f"can't be taken of {kind.flink}")
    return kind


def _array(kind: DataType) -> DataType:
    return DataType("ARRAY", children=(("element", _any_value(kind)),))


def _multiset(kind: DataType) -> DataType:
    return multiset(_any_value(kind)).with_nullable(False)


def _list(kind: DataType) -> DataType:
    if not kind.is_string:
        raise InputError(f"wants a string, here is {kind.flink}: CAST it to STRING")
    return STRING


def _is_exact(kind: DataType) -> bool:
    """Whether sums of the squares are exact: a large DOUBLE can't be subtracted from one without a rounding error."""
    return kind.is_whole


_SUM = _number(lambda kind: decimal(38, kind.scale or 0))
_AVERAGE = _number(lambda kind: decimal(38, max(6, kind.scale or 0)))
_VARIANCE = _number(lambda kind: decimal(38, 6))
_COUNT = _always(BIGINT.with_nullable(False))
_JSON = _always(STRING.with_nullable(False))

AGGREGATES = {
    one.name: one
    for one in (
        Aggregate("COUNT", _COUNT, leaves=_any, over_any_order=True),
        Aggregate("SUM", _SUM, leaves=_any, over_any_order=True),
        Aggregate("AVG", _AVERAGE, leaves=_any, over_any_order=True),
        Aggregate("MIN", _value, counts_repeats=False, over_any_order=True),
        Aggregate("MAX", _value, counts_repeats=False, over_any_order=True),
        Aggregate("STDDEV_POP", _VARIANCE, leaves=_is_exact, over_any_order=True),
        Aggregate("STDDEV_SAMP", _VARIANCE, leaves=_is_exact, over_any_order=True),
        Aggregate("VAR_POP", _VARIANCE, leaves=_is_exact, over_any_order=True),
        Aggregate("VAR_SAMP", _VARIANCE, leaves=_is_exact, over_any_order=True),
        Aggregate("FIRST_VALUE", _value, order_sensitive=True, counts_repeats=False),
        Aggregate("LAST_VALUE", _value, order_sensitive=True, counts_repeats=False),
        Aggregate("SINGLE_VALUE", _value),
        Aggregate("LISTAGG", _list, holds_values=True, order_sensitive=True),
        Aggregate("ARRAY_AGG", _array, holds_values=True, order_sensitive=True),
        Aggregate("COLLECT", _multiset, holds_values=True),
        Aggregate("JSON_ARRAYAGG", _JSON, holds_values=True, order_sensitive=True),
        Aggregate("JSON_OBJECTAGG", _JSON, holds_values=True),
        Aggregate("PERCENTILE", _always(DOUBLE), holds_values=True),
    )
}
NEIGHBOURS = {name: Aggregate(name, _any_value) for name in ("LAG", "LEAD")}
"""Aggregates of a frame of one row. Only OVER has them."""
