"""The layout of a window operator's partials, by its kind of windows and its aggregates."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.engine.aggregates import accumulators
from airflow_nrt.engine.aggregates.accumulators import Accumulator, Operand
from airflow_nrt.engine.windows.cumulate import NESTED, SINGLE
from airflow_nrt.engine.windows.hop import OVERLAPPING
from airflow_nrt.engine.windows.layout import DistinctSet, Layout, Slices
from airflow_nrt.model.internal_columns import WINDOW_START
from airflow_nrt.model.operators import AggregateCall, Regroup, WindowAggregate
from airflow_nrt.model.windows import Hop, Tumble, Window

# Windows without a grid are slices of their own.
_SLICES: Mapping[type[Window], Slices] = {Tumble: SINGLE, Hop: OVERLAPPING}


def layout_of(operator: WindowAggregate | Regroup) -> Layout:
    """The layout of an operator. Calls of one operand share its accumulators."""
    over_rows: dict[str, Accumulator] = {}
    if operator.window.bounded_by_rows:
        over_rows[WINDOW_START] = Accumulator(WINDOW_START, WINDOW_START, "BIGINT", "min({0}){over}")
    results = []
    pairs = operator.distinct_sets
    sets: list[dict[str, Accumulator]] = [{} for _ in pairs]
    for call in operator.aggregates:
        if call.is_of_set:
            index = pairs.index((call.argument or "", call.filter))
            counts = f"x{index} IS NOT NULL"
            operand = Operand(f"d{index}", f"x{index}", counts, counts, call.argument_type)
            target = sets[index]
        else:
            operand, target = _operand(call), over_rows
        made = accumulators(call, operand)
        target.update((one.name, one) for one in made.columns)
        results.append((call.name, made.result))
    return Layout(
        operator=operator,
        slices=_SLICES.get(type(operator.window), NESTED),
        keys=tuple(field.name for field in operator.keys),
        values=tuple((f"x{i}", _counted(argument, condition)) for i, (argument, condition) in enumerate(pairs)),
        row_accumulators=tuple(over_rows.values()),
        sets=tuple(DistinctSet(f"x{i}", tuple(one.values())) for i, one in enumerate(sets)),
        results=tuple(results),
    )


def _operand(call: AggregateCall) -> Operand:
    tag = f"{call.argument or 'all'}_{call.filter}" if call.filter else call.argument or "all"
    admits = f"coalesce({call.filter}, false)" if call.filter else "true"
    if call.argument is None:
        return Operand(tag, "1", admits, admits, None)
    value = _counted(call.argument, call.filter)
    return Operand(tag, value, f"{value} IS NOT NULL", admits, call.argument_type)


def _counted(argument: str, condition: str | None) -> str:
    return f"IF({condition}, {argument}, NULL)" if condition else argument
