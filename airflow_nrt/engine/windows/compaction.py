"""Compaction of state files: files of about the same size are merged once there are enough of them.

A partial is rewritten about log(n) times in n micro-batches, and each level has at most `FANOUT` files. Partials of
closed slices and of open slices are merged separately. Else closing a slice would read all of the closed ones, too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame

from airflow_nrt.engine.aggregates.accumulator_layout import names
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.partials import combine
from airflow_nrt.engine.windows.slices import Layout
from airflow_nrt.home.log.entries import OperatorState, StateFile
from airflow_nrt.home.log.state_kinds import Partials

FANOUT = 12


def compact(store: SliceStore, layout: Layout, state: OperatorState) -> OperatorState:
    """The same state in fewer files, if a level has too many."""
    columns = [*layout.keys, *layout.slots, *names(layout.closed_accumulators)]
    closed = merge_level(store, layout, state.closed, columns, layout.slices.merged)
    return replace(compact_rows(store, layout, state), closed=closed)


def compact_rows(store: SliceStore, layout: Layout, state: OperatorState) -> OperatorState:
    """The same for `rows` of the state, the partials as they were absorbed."""
    columns = [*layout.keys, *layout.slots, *layout.stored, *layout.accumulators.columns]
    rows = Partials(state.rows)
    history, opened = rows.closed_by(state.fired_until), rows.open_after(state.fired_until)
    parts = [merge_level(store, layout, part.files, columns, combine) for part in (history, opened)]
    return replace(state, rows=tuple(file for part in parts for file in part))


def merge_level(
    store: SliceStore,
    layout: Layout,
    files: tuple[StateFile, ...],
    columns: list[str],
    merge: Callable[[Layout, DataFrame], DataFrame],
) -> tuple[StateFile, ...]:
    """The files, with those of the lowest full level merged."""
    full = full_level(files)
    partials = store.read(full, columns)
    if partials is None:
        return files
    store.tuning.tune_for(full)
    merged = store.write(layout.operator.name, merge(layout, partials), layout.closes).file
    rest = tuple(file for file in files if file not in full)
    return rest if merged is None else (merged, *rest)


def full_level(files: Sequence[StateFile]) -> list[StateFile]:
    """The files of the lowest level with enough files to merge; empty if there is none."""
    levels: dict[int, list[StateFile]] = defaultdict(list)
    for file in files:
        levels[int(math.log(file.rows + 1, FANOUT))].append(file)
    return next((level for _, level in sorted(levels.items()) if len(level) >= FANOUT), [])
