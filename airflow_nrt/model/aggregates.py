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


def _unless_floating(kind: DataType) -> bool:
    return not kind.is_approximate


def _of_whole(kind: DataType) -> bool:
    """Whether sums of the squares are exact: a large DOUBLE can't be subtracted from one without a rounding error."""
    return kind.is_whole


ROUNDING = 1e-9
"""A relative difference (above 1) that the order of additions of FLOAT and DOUBLE can make."""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate by its name in SQL.

    `result` is Flink's result type. `holds_values`: the accumulator grows with its input values. `order_sensitive`: the
    result depends on the order in which rows arrived. `counts_repeats`: DISTINCT makes a difference; it makes none to
    MIN, because the least distinct value is the least value. `retractable` says for which operand types a distinct
    value can be subtracted from a window again exactly. Then the operator keeps one set of values for all its calls.
    `over_any_order`: OVER may order its rows by anything, also rows that change.

    `exact` says for which operand types accumulators can be merged in any order. For others results may differ by the
    `tolerance`, relative above 1.

    `one_of_values`: the result is one of the values, so of equal values it is that value. `of_no_rows` is SQL of the
    result of no rows, a number or NULL; None: a FILTER on window columns is decided for each row, not once a window.
    """

    name: str
    result: ResultType
    holds_values: bool = False
    order_sensitive: bool = False
    counts_repeats: bool = True
    retractable: Callable[[DataType], bool] = _none
    over_any_order: bool = False
    exact: Callable[[DataType], bool] = _unless_floating
    tolerance: float = ROUNDING
    one_of_values: bool = False
    of_no_rows: str | None = None

    def tolerance_of(self, kind: DataType | None) -> float:
        """How far results over an operand of this type may differ (None: over rows), relative above 1."""
        return 0.0 if kind is None or self.exact(kind) else self.tolerance


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


_SUM = _number(lambda kind: decimal(38, kind.scale or 0))
_AVERAGE = _number(lambda kind: decimal(38, max(6, kind.scale or 0)))
_VARIANCE = _number(lambda kind: decimal(38, 6))
_COUNT = _always(BIGINT.with_nullable(False))
_JSON = _always(STRING.with_nullable(False))


def _picking(name: str, order_sensitive: bool) -> Aggregate:
    """It picks one of the values: by where they stood on arrival, or by themselves."""
    return Aggregate(
        name,
        _value,
        order_sensitive=order_sensitive,
        counts_repeats=False,
        over_any_order=not order_sensitive,
        exact=_any,
        one_of_values=True,
        of_no_rows="NULL",
    )


def _spread(name: str) -> Aggregate:
    return Aggregate(name, _VARIANCE, retractable=_of_whole, over_any_order=True, exact=_of_whole)


AGGREGATES = {
    one.name: one
    for one in (
        Aggregate("COUNT", _COUNT, retractable=_any, over_any_order=True, exact=_any, of_no_rows="0"),
        Aggregate("SUM", _SUM, retractable=_any, over_any_order=True, of_no_rows="NULL"),
        Aggregate("AVG", _AVERAGE, retractable=_any, over_any_order=True, of_no_rows="NULL"),
        _picking("MIN", order_sensitive=False),
        _picking("MAX", order_sensitive=False),
        _spread("STDDEV_POP"),
        _spread("STDDEV_SAMP"),
        _spread("VAR_POP"),
        _spread("VAR_SAMP"),
        _picking("FIRST_VALUE", order_sensitive=True),
        _picking("LAST_VALUE", order_sensitive=True),
        Aggregate("SINGLE_VALUE", _value, exact=_any),
        Aggregate("LISTAGG", _list, holds_values=True, order_sensitive=True),
        Aggregate("ARRAY_AGG", _array, holds_values=True, order_sensitive=True, exact=_any),
        Aggregate("COLLECT", _multiset, holds_values=True, exact=_any),
        Aggregate("JSON_ARRAYAGG", _JSON, holds_values=True, order_sensitive=True, exact=_any),
        Aggregate("JSON_OBJECTAGG", _JSON, holds_values=True, exact=_any),
        Aggregate("PERCENTILE", _always(DOUBLE), holds_values=True, exact=_any),
    )
}
NEIGHBOURS = {name: Aggregate(name, _any_value, exact=_any) for name in ("LAG", "LEAD")}
"""Aggregates of a frame of one row. Only OVER has them."""
VERSION = Aggregate("VERSION", _any_value, order_sensitive=True, exact=_any)
"""The newest version of a key up to a row's time. Only temporal joins have it."""
