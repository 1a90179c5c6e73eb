"""Compaction of the state files of OVER: heads are merged separately."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.merged_partials import compact_rows, merge_partials
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.over.prefix_accumulators import columns_of, merged_heads
from airflow_nrt.engine.windows.over.row_frames import HEAD
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.position.state_kinds import FiredRows


def compact(store: SliceStore, layout: Layout, state: OperatorState) -> OperatorState:
    """The same state in fewer files, if a level has too many."""
    fired = FiredRows.of(state.closed)
    heads = merge_partials(store, layout, fired.heads, [*columns_of(layout), HEAD], merged_heads)
    return replace(compact_rows(store, layout, state), closed=(*heads, *fired.rows))
