"""Aggregates in Python. With `merge` a partial is an accumulator; without it, and with DISTINCT, the rows are kept.

A row is lifted to its arguments only, so that Python is called once: when the rows of a group are merged.
"""

from __future__ import annotations

from airflow_nrt.basics.times_of_day import of_spark_time, with_times
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.engine.aggregates.listing import in_order
from airflow_nrt.model.operators import AggregateCall


def python(call: AggregateCall, operand: Operand) -> Accumulators:
    """The operand is a ROW of the arguments."""
    function = call.python
    assert function is not None and operand.type is not None
    if function.accumulator is None or call.distinct:
        rows, values = in_order(call, operand)
        result = f"{function.spark_name}_of_rows(filter({values}, v -> v IS NOT NULL))"
        return Accumulators((rows,), with_times(result, function.value_type, of_spark_time), additive=False)
    kept, row = function.accumulator.spark, operand.type.spark
    lifted = f"named_struct('acc', CAST(NULL AS {kept}), 'row', {operand.value})"
    folded = f"{function.spark_name}_fold(collect_list({{0}}){{over}})"
    nothing = f"'row', CAST(NULL AS {row})"
    scanned = f"{function.spark_name}_scan(transform({{0}}, p -> p.acc))"
    one = Accumulator(
        f"{function.spark_name}_{operand.tag}",
        f"IF({operand.counts}, {lifted}, NULL)",
        f"STRUCT<acc: {kept}, row: {row}>",
        f"named_struct('acc', {folded}, {nothing})",
        f"transform({scanned}, a -> named_struct('acc', a, {nothing}))",
    )
    result = f"{function.spark_name}_result({one.name}.acc)"
    return Accumulators((one,), with_times(result, function.value_type, of_spark_time), additive=False)
