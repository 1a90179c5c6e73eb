"""LISTAGG: the values in order of arrival inside a slice, slices in time order, NULLs skipped."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulators import Accumulator, Accumulators, Operand
from airflow_nrt.engine.aggregates.positions import PLACE, placed
from airflow_nrt.report.plan import AggregateCall
from airflow_nrt.report.spelling import string_literal


def listing(call: AggregateCall, operand: Operand) -> Accumulators:
    separator = string_literal(call.parameters[0] if call.parameters else ",")
    kind = f"ARRAY<{PLACE.format('STRING')}>"
    # Listings of one operand share their column, whatever their separators.
    one = Accumulator(
        f"list_{operand.tag}",
        f"filter(array({placed(operand)}), x -> x IS NOT NULL)",
        kind,
        "flatten(collect_list({0}){over})",
    )
    joined = f"array_join(transform(array_sort({one.name}), x -> x.value), {separator})"
    return Accumulators((one,), f"CASE WHEN size({one.name}) > 0 THEN {joined} END", additive=False)
