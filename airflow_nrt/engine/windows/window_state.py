"""The state of a window operator between micro-batches: what it reads to fire, and what it keeps.

Partials are in two relations. `rows` are partials as they were absorbed: of open slices, and of closed ones as long as
their distinct values must be known. `closed` has one partial for each key and closed slice that a later window needs.
TUMBLE needs none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from airflow_nrt.engine.aggregates.accumulator_layout import names
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.slice_merge import History, close
from airflow_nrt.engine.windows.window_operator import fire
from airflow_nrt.home.log.entries import OperatorState, StateFile
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.windows import Sql

FEW = 500_000
"""Up to so many partials of earlier slices, an exchange by key is faster than a scan with a broadcast."""
MOST_NEW = 200_000
"""So many new partials fit into the memory of every task."""


@dataclass(frozen=True)
class Firing:
    """A firing of windows with `after < end <= until`: their results (None without rows), and the state after it."""

    operator: str
    results: DataFrame | None
    state: OperatorState
    after: int
    until: int


def prepare_firing(store: SliceStore, layout: Layout, state: OperatorState, until: int) -> Firing:
    """Closes the slices up to `until`, writes the partials for later windows, and gives the results (lazily)."""
    after, rows = state.fired_until, Partials(state.rows)
    window, slices = layout.operator.window, layout.slices
    new_closed: tuple[StateFile, ...] = ()
    if slices.shared and rows.outlast(after, until, window):
        kept = _closed(store, layout, state, after, until, slices.outlasts(window, until))
        if kept is not None:
            file = store.write(layout.operator.name, kept, layout.closes).file
            new_closed = (file,) if file is not None else ()
    columns = [*layout.keys, *layout.slots, *names(layout.closed_accumulators)]
    known = Partials((*state.closed, *new_closed)).in_windows_after(after, window)
    closed = store.read(known.files, columns)
    # If a file spans a gap in the data, no slice may close at all; then this is empty.
    if closed is None or slices.leaves_out(window, rows, after, until, bool(new_closed)):
        ending = _closed(store, layout, state, after, until, f"{window.last_end(Sql(SLICE))} <= {until}L")
        closed = ending if closed is None else closed if ending is None else closed.unionByName(ending.select(*columns))
    values = _value_rows(store, layout, state, after, until)
    results = None if closed is None else fire(layout, closed, values, after, until)
    next_state = replace(
        state,
        fired=until,
        rows=_needed_later(layout, rows, until).files,
        closed=known.in_windows_after(until, window).files,
        suspect=None if state.suspect is not None and state.suspect <= until else state.suspect,
    )
    return Firing(layout.operator.name, results, next_state, after, until)


def peek(store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int) -> DataFrame | None:
    """The current results of windows with `after < end <= until`. Nothing closes."""
    window = layout.operator.window
    columns = [*layout.keys, *layout.slots, *names(layout.closed_accumulators)]
    closed = store.read(Partials(state.closed).in_windows_after(after, window).files, columns)
    opened = _closed(store, layout, state, state.fired_until, until, f"{window.last_end(Sql(SLICE))} > {after}L")
    together = closed if opened is None else opened if closed is None else closed.unionByName(opened.select(*columns))
    values = _value_rows(store, layout, state, after, until)
    return None if together is None else fire(layout, together, values, after, until)


def _closed(
    store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int, which: str
) -> DataFrame | None:
    """Closed partials of the partials that close in (after, until] and meet the condition `which`."""
    columns = [*layout.keys, *layout.slots, *layout.accumulators.columns]
    closing = Partials(state.rows).closing(after, until).files
    rows = store.read(closing, columns)
    if rows is None:
        return None
    rows = rows.where(f"{layout.closes} > {after}L AND {layout.closes} <= {until}L AND {which}")
    history = _history(store, layout, state, after, which, sum(file.rows for file in closing))
    return close(layout, rows, history, store.tasks)


def _history(
    store: SliceStore, layout: Layout, state: OperatorState, after: int, which: str, new: int
) -> History | None:
    """The distinct values of earlier slices of the same windows. `new` is the most partials that close."""
    window = layout.operator.window
    if not (layout.accumulators.sets and layout.slices.shared and layout.slices.counts_when_closing):
        return None
    earlier = Partials(state.rows).begun_by(after).in_windows_after(after, window).files
    rows = store.read(earlier, [*layout.keys, SLICE, *layout.accumulators.values])
    if rows is None:
        return None
    rows = rows.where(f"{SLICE} <= {after}L AND {window.last_end(Sql(SLICE))} > {after}L AND {which}")
    return History(rows, sum(file.rows for file in earlier) > FEW and new < MOST_NEW)


def _value_rows(store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int) -> DataFrame | None:
    """If windows can lose values: the partials with distinct values of all slices in the firing windows."""
    if layout.slices.counts_when_closing or not layout.accumulators.sets:
        return None
    window = layout.operator.window
    needed = Partials(state.rows).begun_by(until).in_windows_after(after, window).files
    rows = store.read(needed, [*layout.keys, *layout.slots, *layout.accumulators.values])
    if rows is None:
        return None
    return rows.where(f"{layout.closes} <= {until}L AND {window.last_end(Sql(SLICE))} > {after}L")


def _needed_later(layout: Layout, rows: Partials, until: int) -> Partials:
    """The files that a firing after `until` reads."""
    if layout.accumulators.sets and layout.slices.shared:
        return rows.in_windows_after(until, layout.operator.window)
    return rows.open_after(until)
