"""Firing TUMBLE and CUMULATE: a window is all slices from its start on, so one running merge by key gives all windows.

    slices of a key      s1      s2              s4
    windows            [s1)  [s1 s2)  [s1 s2)  [s1 s2 s4)      a window without new rows repeats the one before

TUMBLE has one slice a window. With `only_updates` only the last window of a start repeats the one before.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.accumulator_layout import names
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.windows.operator_layout import Layout, Slices
from airflow_nrt.engine.windows.slice_merge import GROUP_END
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.windows import Sql, Window

_BY_SLICE = f"(a, b) -> IF(a.{SLICE} < b.{SLICE}, -1, 1)"


class Nested(Slices):
    """CUMULATE: of two windows with a common slice the later one holds all of the earlier."""

    def first_window(self, window: Window, partial: Row) -> int:
        return window.first_end(int(partial[SLICE]))

    def outlasts(self, window: Window, until: int) -> str:
        return f"{window.last_end(Sql(SLICE))} > {until}L"

    def leaves_out(self, window: Window, rows: Partials, after: int, until: int, written: bool) -> bool:
        earliest = [max(one.first, after + 1) for one in rows.closing(after, until).ends]
        return any(window.last_end(window.slice_end(slice_end - 1)) <= until for slice_end in earliest)

    def fire(self, layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
        return _running(layout, closed, after, until)

    def merged(self, layout: Layout, closed: DataFrame) -> DataFrame:
        """They are only ever read together: one for each key and start."""
        grouped = closed.selectExpr("*", f"{layout.operator.window.last_end(Sql(SLICE))} AS {GROUP_END}")
        merged = [F.expr(one.merged()) for one in layout.accumulators.all]
        by = [*layout.keys, GROUP_END]
        return grouped.groupBy(*by).agg(F.max(SLICE).alias(SLICE), *merged).drop(GROUP_END)


class Single(Nested):
    """TUMBLE: a slice is a window."""

    shared = False

    def fire(self, layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
        return whole(layout, closed.where(f"{SLICE} > {after}L AND {SLICE} <= {until}L"))


NESTED, SINGLE = Nested(), Single()


def _running(layout: Layout, closed: DataFrame, after: int, until: int) -> DataFrame:
    window = layout.operator.window
    columns = layout.accumulators.all
    grouped = _scanned(layout, closed.selectExpr("*", f"{window.last_end(Sql(SLICE))} AS {GROUP_END}"))
    partition = f"PARTITION BY {', '.join([*layout.keys, GROUP_END])} ORDER BY {SLICE}"
    running = f"({partition} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    merged = grouped.selectExpr(
        *layout.keys,
        SLICE,
        GROUP_END,
        f"lead({SLICE}) OVER ({partition}) AS _nrt_next",
        *(one.merged(running) if one.running is None else one.name for one in columns),
    )
    grid = window.grid
    first = f"greatest({SLICE}, {grid.after(after)}L)"
    last = f"least(coalesce({grid.shifted(Sql('_nrt_next'), -1)}, {GROUP_END}), {GROUP_END}, {until}L)"
    repeated = merged.where(f"{first} <= {last}")
    ends = grid.sequence(first, last)
    if window.only_updates:
        ends = f"filter({ends}, e -> e IN ({SLICE}, {GROUP_END}))"
    return repeated.selectExpr(*layout.keys, f"explode({ends}) AS {WINDOW_END}", *names(columns))


def _scanned(layout: Layout, grouped: DataFrame) -> DataFrame:
    """The partials, in which accumulators with `running` SQL are merged already, along an array."""
    scans = {one.name: one.running for one in layout.accumulators.all if one.running is not None}
    if not scans:
        return grouped
    by = [*layout.keys, GROUP_END]
    others = [name for name in grouped.columns if name not in by]
    arrays = grouped.groupBy(*by).agg(
        F.expr(f"array_sort(collect_list(struct({', '.join(others)})), {_BY_SLICE}) AS _nrt_p")
    )
    of_one = {name: f"transform(_nrt_p, p -> p.{name})" for name in others}
    listed = (f"{scans[name].format(sql) if name in scans else sql} AS {name}" for name, sql in of_one.items())
    zipped = arrays.selectExpr(*by, *listed).selectExpr(*by, f"explode(arrays_zip({', '.join(others)})) AS _nrt_p")
    return zipped.selectExpr(*by, *(f"_nrt_p.{name} AS {name}" for name in others))


def whole(layout: Layout, closed: DataFrame) -> DataFrame:
    """The windows of closed partials, each of which is a whole window."""
    return closed.selectExpr(*layout.keys, f"{SLICE} AS {WINDOW_END}", *names(layout.accumulators.all))
