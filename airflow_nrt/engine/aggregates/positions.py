"""FIRST_VALUE and LAST_VALUE: the value that was first or last on arrival, NULLs skipped; slices in time order."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.model.operators import AggregateCall

PLACE = "STRUCT<slice: BIGINT, file: BIGINT, block: BIGINT, row: BIGINT, value: {}>"
POSITION = "_nrt_slice AS slice, _nrt_pos.file AS file, _nrt_pos.block AS block, _nrt_pos.row AS row"
"""The place of a row. Structs that begin with it are ordered by place."""


def first_value(call: AggregateCall, operand: Operand) -> Accumulators:
    return _position("min", call, operand)


def last_value(call: AggregateCall, operand: Operand) -> Accumulators:
    return _position("max", call, operand)


def _position(function: str, call: AggregateCall, operand: Operand) -> Accumulators:
    """The value of the least or the greatest place.

    >>> from airflow_nrt.basics.types import DataType
    >>> kind = DataType("INT")
    >>> call = AggregateCall("a", "FIRST_VALUE", "price", kind, None, False, kind, "FIRST_VALUE(price)")
    >>> operand = Operand("price", "price", "price IS NOT NULL", "true", kind)
    >>> print(_position("min", call, operand).columns[0].lifted)
    CAST(IF(price IS NULL, NULL, struct(_nrt_slice AS slice, _nrt_pos.file AS file, _nrt_pos.block AS block,
    _nrt_pos.row AS row, price AS value)) AS STRUCT<slice: BIGINT, file: BIGINT, block: BIGINT, row: BIGINT, value:
    INT>) AS minpos_price
    """
    kind = PLACE.format(call.type.spark)
    placed = f"IF({operand.value} IS NULL, NULL, struct({POSITION}, {operand.value} AS value))"
    one = Accumulator(f"{function}pos_{operand.tag}", placed, kind, f"{function}({{0}}){{over}}")
    return Accumulators((one,), f"{one.name}.value", additive=False)
