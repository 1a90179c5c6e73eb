"""LAG: the value of one row, for its frame holds no other; NULL where there is none."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.report.plan import AggregateCall


def neighbour(call: AggregateCall, operand: Operand) -> Accumulators:
    one = Accumulator(f"neighbour_{operand.tag}", operand.value, call.type.spark, "first({0}){over}")
    return Accumulators((one,), one.name, additive=False)
