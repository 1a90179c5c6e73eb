"""COUNT."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.model.operators import AggregateCall


def counter(operand: Operand) -> Accumulator:
    """The number of values."""
    return Accumulator(f"n_{operand.tag}", f"IF({operand.counts}, 1, 0)", "BIGINT")


def count(call: AggregateCall, operand: Operand) -> Accumulators:
    number = counter(operand)
    counts_all = call.argument is None and call.filter is None
    return Accumulators((number,), f"coalesce({number.name}, 0L)", row_count=number if counts_all else None)
