"""The kinds of window operators: how rows are absorbed, how windows fire, and what is stored in between."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows import lateness, merged_partials, session, window_operator, window_state
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.over import compaction as prefix_compaction
from airflow_nrt.engine.windows.over import frame_join, over
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import OperatorState


@dataclass(frozen=True)
class WindowExecution:
    """The interface of an operator for the drivers.

    `absorb(store, layout, state, sources)` makes partials of accepted source rows, and marks the late ones.
    `prepare_firing(store, layout, state, until)` fires these windows, and writes what later ones need.
    `peek(store, layout, state, after, until)` gives the current results of windows with `after < end <= until` that
    have not fired, and does not change the state; None if there are no rows, or if the kind has no early results.
    `compute(layout, sources, after, until, tasks)` gives the results of windows with `after < end <= until` in batch.
    `mark_late(layout, rows)` marks the late rows of the input query, by their hidden columns alone.
    `compact(store, layout, state)` gives the same state in fewer files, if there are too many.
    """

    absorb: Callable[[SliceStore, Layout, OperatorState, Mapping[str, DataFrame]], DataFrame]
    prepare_firing: Callable[[SliceStore, Layout, OperatorState, int], Firing]
    peek: Callable[[SliceStore, Layout, OperatorState, int, int], DataFrame | None]
    compute: Callable[[Layout, Mapping[str, DataFrame], int, int, Tasks], DataFrame]
    mark_late: Callable[[Layout, DataFrame], DataFrame]
    compact: Callable[[SliceStore, Layout, OperatorState], OperatorState]


SLICED = WindowExecution(
    window_operator.absorb,
    window_state.prepare_firing,
    window_state.peek,
    window_operator.compute,
    lateness.mark_late,
    merged_partials.compact,
)
SESSION = WindowExecution(
    session.absorb,
    session.prepare_firing,
    session.peek,
    session.compute,
    session.mark_late,
    merged_partials.compact,
)
OVER = WindowExecution(
    over.absorb,
    over.prepare_firing,
    over.peek,
    over.compute,
    over.mark_late,
    prefix_compaction.compact,
)
ROW_PARTS = WindowExecution(
    frame_join.absorb,
    frame_join.prepare_firing,
    over.peek,
    frame_join.compute,
    frame_join.mark_late,
    prefix_compaction.compact,
)


def execution_of(layout: Layout) -> WindowExecution:
    window = layout.operator.window
    if window.of_each_row:
        return ROW_PARTS if layout.operator.parts else OVER
    return SESSION if window.bounded_by_rows else SLICED
