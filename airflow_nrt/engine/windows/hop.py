"""Firing HOP: each window merges the closed partials of its slices, and counts each of its distinct values.

A value of a key is in all windows that hold one of its slices. Each slice gives a range of window ends, and their union
is taken, so that values are not copied into windows.
"""

from __future__ import annotations

from functools import reduce
from types import MappingProxyType

from pyspark.sql import DataFrame, Row

from airflow_nrt.engine.aggregates.accumulator_layout import names
from airflow_nrt.engine.aggregates.group_merge import aggregate, padded
from airflow_nrt.engine.state.state_columns import FROM, SLICE
from airflow_nrt.engine.windows.hop_distinct import in_windows
from airflow_nrt.engine.windows.operator_layout import Layout, Slices
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.windows import Sql, Window


class Overlapping(Slices):
    """A partial has two slots: its slice, and the first window that it counts in, with which it closes."""

    slots = (SLICE, FROM)
    placed = MappingProxyType({SLICE: "_nrt_own", FROM: "_nrt_counted"})
    counts_when_closing = False

    def first_window(self, window: Window, partial: Row) -> int:
        return int(partial[FROM])

    def outlasts(self, window: Window, until: int) -> str:
        """All: a late row can end now whatever its slice is. It is written with the others, and never read again."""
        return "true"

    def leaves_out(self, window: Window, rows: Partials, after: int, until: int, written: bool) -> bool:
        return not written

    def fire(self, layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
        return _copied(layout, closed, rows, after, until)

    def merged(self, layout: Layout, closed: DataFrame) -> DataFrame:
        return aggregate(closed, [*layout.keys, *layout.slots], layout.accumulators.of_rows)


OVERLAPPING = Overlapping()


def _copied(layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
    window, accumulators = layout.operator.window, layout.accumulators
    origin = window.grid.after(after)
    first, last = f"greatest({FROM}, {origin}L)", f"least({window.last_end(Sql(SLICE))}, {until}L)"
    counting = f"{first} <= {last}"
    copies = closed.where(counting).selectExpr(
        *layout.keys,
        f"explode({window.grid.sequence(first, last)}) AS {WINDOW_END}",
        *names(accumulators.of_rows),
    )
    by = [*layout.keys, WINDOW_END]
    if not accumulators.sets or rows is None:
        return aggregate(copies, by, accumulators.of_rows)
    parts = [padded(accumulators, by, copies)]
    for group in accumulators.sets:
        values = rows.where(f"{group.column} IS NOT NULL AND {counting}")
        ranges = values.selectExpr(*layout.keys, group.column, f"{first} AS _nrt_first", f"{last} AS _nrt_last")
        parts.append(padded(accumulators, by, in_windows(layout, group, ranges, origin)))
    return aggregate(reduce(DataFrame.unionAll, parts), by, accumulators.all)
