"""The state of a window operator between micro-batches: what it reads to fire, and what it keeps.

Partials are in two relations. `rows` are partials as they were absorbed: of open slices, and of closed ones as long as
their distinct values must be known. `closed` has one partial for each key and closed slice that a later window needs.
TUMBLE needs none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.aggregates.accumulator_layout import names
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.aggregate import fire
from airflow_nrt.engine.windows.layout import Layout
from airflow_nrt.engine.windows.slice_merge import History, close
from airflow_nrt.home.log.entries import OperatorState, StateFile
from airflow_nrt.model.windows import Sql

BEFORE_TIME = -END_OF_TIME
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
    after = BEFORE_TIME if state.fired is None else state.fired
    window, slices = layout.operator.window, layout.slices
    new_closed: tuple[StateFile, ...] = ()
    if _needed_later(layout, state.rows, after, until):
        kept = _closed(store, layout, state, after, until, slices.outlasts(window, until))
        if kept is not None:
            file = store.write(layout.operator.name, kept).file
            new_closed = (file,) if file is not None else ()
    columns = [*layout.keys, *layout.slots, *names(layout.closed_accumulators)]
    known = [file for file in state.closed if window.last_end(file.last) > after]
    closed = store.read([*known, *new_closed], columns)
    # If a file spans a gap in the data, no slice may close at all; then this is empty.
    if closed is None or slices.leaves_out(window, state.rows, after, until, bool(new_closed)):
        ending = _closed(store, layout, state, after, until, f"{window.last_end(Sql(SLICE))} <= {until}L")
        closed = ending if closed is None else closed if ending is None else closed.unionByName(ending.select(*columns))
    values = _value_rows(store, layout, state, after, until)
    results = None if closed is None else fire(layout, closed, values, after, until)
    next_state = replace(
        state,
        fired=until,
        rows=tuple(file for file in state.rows if _rows_needed(layout, file, until)),
        closed=tuple(file for file in (*known, *new_closed) if window.last_end(file.last) > until),
        suspect=None if state.suspect is not None and state.suspect <= until else state.suspect,
    )
    return Firing(layout.operator.name, results, next_state, after, until)


def peek(store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int) -> DataFrame | None:
    """The current results of windows with `after < end <= until`. Nothing closes."""
    window = layout.operator.window
    fired = BEFORE_TIME if state.fired is None else state.fired
    columns = [*layout.keys, *layout.slots, *names(layout.closed_accumulators)]
    closed = store.read([file for file in state.closed if window.last_end(file.last) > after], columns)
    opened = _closed(store, layout, state, fired, until, f"{window.last_end(Sql(SLICE))} > {after}L")
    together = closed if opened is None else opened if closed is None else closed.unionByName(opened.select(*columns))
    values = _value_rows(store, layout, state, after, until)
    return None if together is None else fire(layout, together, values, after, until)


def _closed(
    store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int, which: str
) -> DataFrame | None:
    """Closed partials of the partials that close in (after, until] and meet the condition `which`."""
    columns = [*layout.keys, *layout.slots, *layout.accumulators.columns]
    closing = [file for file in state.rows if file.last > after and file.first <= until]
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
    earlier = [file for file in state.rows if file.first <= after and window.last_end(file.last) > after]
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
    needed = [file for file in state.rows if file.first <= until and window.last_end(file.last) > after]
    rows = store.read(needed, [*layout.keys, *layout.slots, *layout.accumulators.values])
    if rows is None:
        return None
    return rows.where(f"{layout.closes} <= {until}L AND {window.last_end(Sql(SLICE))} > {after}L")


def _needed_later(layout: Layout, rows: tuple[StateFile, ...], after: int, until: int) -> bool:
    """Whether a closing slice can be in a window that fires later."""
    window = layout.operator.window
    if not layout.slices.shared:
        return False
    return any(
        file.first <= until and file.last > after and window.last_end(min(file.last, until)) > until for file in rows
    )


def _rows_needed(layout: Layout, file: StateFile, until: int) -> bool:
    """Whether a later firing reads a file of `rows`."""
    if layout.accumulators.sets and layout.slices.shared:
        return layout.operator.window.last_end(file.last) > until
    return file.last > until
