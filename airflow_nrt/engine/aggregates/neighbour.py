"""LAG: the value of one row, for its frame holds no other; the default, or NULL, where there is none."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.report.operators import AggregateCall


def neighbour(call: AggregateCall, operand: Operand) -> Accumulators:
    """The value may be NULL itself, so that it is wrapped."""
    kind = f"STRUCT<value: {call.type.spark}>"
    one = Accumulator(f"neighbour_{operand.tag}", f"struct({operand.value} AS value)", kind, "first({0}){over}")
    default = call.parameters[0] if call.parameters else "NULL"
    return Accumulators((one,), f"IF({one.name} IS NULL, {default}, {one.name}.value)", additive=False)
