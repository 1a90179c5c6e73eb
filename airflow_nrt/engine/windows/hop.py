"""Firing HOP: each window merges the closed partials of its slices, and counts each of its distinct values.

A value of a key is in all windows that hold one of its slices. Each slice gives a range of window ends, and their union
is taken, so that values are not copied into windows.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame

from airflow_nrt.engine.state.columns import FROM, SLICE
from airflow_nrt.engine.windows import hop_masks, hop_ranges
from airflow_nrt.engine.windows.partials import DistinctSet, Layout, aggregate, padded
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.windows import Sql


def fire(layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
    """Merged accumulators of all windows with `after < end <= until`: the keys, `_nrt_end`, all accumulators.

    `closed` are closed partials, `rows` partials of rows (only for distinct sets), both of all slices in these windows.
    """
    window = layout.operator.window
    origin = next(window.ends_between(after, after + window.stride))
    first, last = f"greatest({FROM}, {origin}L)", f"least({window.last_end(Sql(SLICE))}, {until}L)"
    counting = f"{first} <= {last}"
    copies = closed.where(counting).selectExpr(
        *layout.keys,
        f"explode(sequence({first}, {last}, {window.stride}L)) AS {WINDOW_END}",
        *(one.name for one in layout.row_accumulators),
    )
    by = [*layout.keys, WINDOW_END]
    if not layout.sets or rows is None:
        return aggregate(copies, by, layout.row_accumulators)
    parts = [padded(layout, by, copies)]
    for group in layout.sets:
        values = rows.where(f"{group.column} IS NOT NULL AND {counting}")
        ranges = values.selectExpr(*layout.keys, group.column, f"{first} AS _nrt_first", f"{last} AS _nrt_last")
        parts.append(padded(layout, by, _in_windows(layout, group, ranges, origin)))
    return aggregate(reduce(DataFrame.unionAll, parts), by, layout.all_accumulators)


def _in_windows(layout: Layout, group: DistinctSet, ranges: DataFrame, origin: int) -> DataFrame:
    """By masks, if a value needs at most two of them; else by ranges."""
    window = layout.operator.window
    if window.size <= hop_masks.BLOCK * window.stride:
        return hop_masks.in_windows(layout, group, ranges, origin)
    return hop_ranges.in_windows(layout, group, ranges)
