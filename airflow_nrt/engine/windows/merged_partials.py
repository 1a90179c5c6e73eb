"""Compaction of partials: those of closed slices and of open slices are merged separately.

Else closing a slice would read all of the closed ones, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pyspark.sql import DataFrame

from airflow_nrt.engine.aggregates.accumulator_layout import names
from airflow_nrt.engine.state.compaction import Files, merge_full_level
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.partials import combine
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.position.state_kinds import Partials


def compact(store: SliceStore, layout: Layout, state: OperatorState) -> OperatorState:
    """The same state in fewer files, if a level has too many."""
    columns = [*layout.keys, *layout.slots, *names(layout.closed_accumulators)]
    closed = merge_partials(store, layout, state.closed, columns, layout.slices.merged)
    return replace(compact_rows(store, layout, state), closed=closed)


def compact_rows(store: SliceStore, layout: Layout, state: OperatorState) -> OperatorState:
    """The same for `rows` of the state, the partials as they were absorbed."""
    columns = [*layout.keys, *layout.slots, *layout.stored, *layout.accumulators.columns]
    rows = Partials(state.rows)
    history, opened = rows.closed_by(state.fired_until), rows.open_after(state.fired_until)
    parts = [merge_partials(store, layout, part.files, columns, combine) for part in (history, opened)]
    return replace(state, rows=tuple(file for part in parts for file in part))


def merge_partials(
    store: SliceStore,
    layout: Layout,
    files: Files,
    columns: Iterable[str],
    merge: Callable[[Layout, DataFrame], DataFrame],
) -> Files:
    """The files, with those of the lowest full level merged."""

    def merged(partials: DataFrame, full: Files) -> DataFrame:
        store.tuning.tune_for(full)
        return merge(layout, partials)

    return merge_full_level(store, layout.operator.name, files, columns, merged, layout.closes)
