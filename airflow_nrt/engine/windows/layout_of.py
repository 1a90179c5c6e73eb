"""The layout of a window operator's partials, by its kind of windows and its aggregates."""

from __future__ import annotations

from airflow_nrt.engine.aggregates.accumulator_layout import AccumulatorLayout, accumulator_layout
from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.engine.windows.cumulate import NESTED, SINGLE
from airflow_nrt.engine.windows.hop import OVERLAPPING
from airflow_nrt.engine.windows.operator_layout import Layout, Slices
from airflow_nrt.model.internal_columns import WINDOW_START
from airflow_nrt.model.operators import Regroup, WindowAggregate
from airflow_nrt.model.windows import Window

_SESSION_START = Accumulator(WINDOW_START, WINDOW_START, "BIGINT", "min({0}){over}")


def layout_of(operator: WindowAggregate) -> Layout:
    """The layout of an operator."""
    return Layout(
        operator=operator,
        slices=slices_of(operator.window),
        keys=tuple(field.name for field in operator.keys),
        accumulators=accumulators_of(operator),
    )


def slices_of(window: Window) -> Slices:
    """How windows of this kind share slices; windows without a grid are slices of their own."""
    if window.one_slice:
        return SINGLE
    return NESTED if window.nested else OVERLAPPING


def accumulators_of(operator: WindowAggregate | Regroup) -> AccumulatorLayout:
    """The accumulators of an operator. A session has its start among them, because only its rows say where it is."""
    starts = (_SESSION_START,) if operator.window.bounded_by_rows else ()
    return accumulator_layout(operator.aggregates, *starts)
