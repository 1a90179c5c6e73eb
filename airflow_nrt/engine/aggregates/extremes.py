"""MIN and MAX."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.model.operators import AggregateCall


def least(call: AggregateCall, operand: Operand) -> Accumulators:
    return _extreme("min", call, operand)


def greatest(call: AggregateCall, operand: Operand) -> Accumulators:
    return _extreme("max", call, operand)


def _extreme(function: str, call: AggregateCall, operand: Operand) -> Accumulators:
    """The least or the greatest value.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "MIN", "price", kind, None, False, kind, "MIN(price)")
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> print(_extreme("min", call, operand).columns[0].merged())
    CAST(min(min_price) AS INT) AS min_price
    """
    one = Accumulator(f"{function}_{operand.tag}", operand.value, call.type.spark, f"{function}({{0}}){{over}}")
    return Accumulators((one,), one.name, additive=False)
