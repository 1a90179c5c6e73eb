"""SINGLE_VALUE: the value of the only row; a window with more rows is an error."""

from __future__ import annotations

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.engine.aggregates.count import counter
from airflow_nrt.engine.aggregates.extremes import greatest, least
from airflow_nrt.model.operators import AggregateCall


def single_value(call: AggregateCall, operand: Operand) -> Accumulators:
    """With DISTINCT, equal rows count as one, also NULLs."""
    low, high = least(call, operand).columns[0], greatest(call, operand).columns[0]
    rows = Accumulator(f"r_{operand.tag}", f"IF({operand.admits}, 1, 0)", "BIGINT")
    values = counter(operand)
    alike = f"{low.name} <=> {high.name} AND {values.name} IN (0, {rows.name})"
    single = alike if call.distinct else f"{rows.name} <= 1"
    message = string_literal(f"{call.text} has more than one row ")
    result = f"CASE WHEN {single} THEN {low.name} ELSE raise_error(concat({message}, {{place}})) END"
    return Accumulators((low, high, rows, values), result, additive=False)
