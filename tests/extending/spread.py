"""A new aggregate: SPREAD(x), the distance from the least to the greatest value. NULLs are passed over."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.aggregates.accumulators import Accumulators, Operand
from airflow_nrt.engine.aggregates.extremes import greatest, least
from airflow_nrt.model.aggregates import Aggregate
from airflow_nrt.model.operators import AggregateCall


def _number(kind: DataType) -> DataType:
    if not kind.is_integer:
        raise InputError(f"wants a whole number, here is {kind.flink}")
    return kind


SPREAD = Aggregate("SPREAD", _number, counts_repeats=False)


def spread(call: AggregateCall, operand: Operand) -> Accumulators:
    low, high = least(call, operand), greatest(call, operand)
    return Accumulators((*low.columns, *high.columns), f"({high.result} - {low.result})", additive=False)
