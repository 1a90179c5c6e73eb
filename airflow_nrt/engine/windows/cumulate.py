"""Firing TUMBLE and CUMULATE: a window is all slices from its start on, so one running merge by key serves them all.

    slices of a key      s1      s2              s4
    windows            [s1)  [s1 s2)  [s1 s2)  [s1 s2 s4)      a window without new rows repeats the one before

TUMBLE is the case of one slice a window. With `only_updates` nothing is repeated but the last window of a start.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.engine.windows.closing import GROUP_END
from airflow_nrt.engine.windows.partials import SLICE, Layout
from airflow_nrt.report.hidden import WINDOW_END
from airflow_nrt.report.windows import Sql


def fire(layout: Layout, closed: DataFrame, after: int, until: int) -> DataFrame:
    """Merged accumulators of all windows with `after < end <= until`: the keys, `_nrt_end`, all accumulators.

    `closed` are the closed partials of all slices in these windows, at most one for each key and slice.
    """
    window = layout.operator.window
    columns = layout.all_accumulators
    if window.kind == "TUMBLE":
        return whole(layout, closed.where(f"{SLICE} > {after}L AND {SLICE} <= {until}L"))
    grouped = closed.selectExpr("*", f"{window.last_end(Sql(SLICE))} AS {GROUP_END}")
    partition = f"PARTITION BY {', '.join([*layout.keys, GROUP_END])} ORDER BY {SLICE}"
    running = f"({partition} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    merged = grouped.selectExpr(
        *layout.keys,
        SLICE,
        GROUP_END,
        f"lead({SLICE}) OVER ({partition}) AS _nrt_next",
        *(one.merged(running) for one in columns),
    )
    step = window.stride
    first_new = next(window.ends_between(after, after + step))
    first = f"greatest({SLICE}, {first_new}L)"
    last = f"least(coalesce(_nrt_next - {step}L, {GROUP_END}), {GROUP_END}, {until}L)"
    repeated = merged.where(f"{first} <= {last}")
    ends = f"sequence({first}, {last}, {step}L)"
    if window.only_updates:
        ends = f"filter({ends}, e -> e IN ({SLICE}, {GROUP_END}))"
    return repeated.selectExpr(*layout.keys, f"explode({ends}) AS {WINDOW_END}", *(one.name for one in columns))


def whole(layout: Layout, closed: DataFrame) -> DataFrame:
    """Closed partials that are each a whole window."""
    return closed.selectExpr(*layout.keys, f"{SLICE} AS {WINDOW_END}", *(one.name for one in layout.all_accumulators))
