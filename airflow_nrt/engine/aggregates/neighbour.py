"""LAG, LEAD: the value of one row, for its frame holds no other, or NULL where there is none.

A default stands for both, as in Flink 2.3: for a row that is not there, and for its NULL.
"""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.model.operators import AggregateCall


def neighbour(call: AggregateCall, operand: Operand) -> Accumulators:
    """The value may be NULL itself, so that it is wrapped: a row that has NULL is not one that is missing."""
    kind = f"STRUCT<value: {call.type.spark}>"
    one = Accumulator(f"neighbour_{operand.tag}", f"struct({operand.value} AS value)", kind, "first({0}){over}")
    value = f"{one.name}.value"
    return Accumulators(
        (one,), f"coalesce({value}, {call.parameters[0]})" if call.parameters else value, additive=False
    )
