"""Firing HOP: each window merges the closed partials of its slices; distinct values enter and leave.

A value of a key is in all windows that hold one of its slices: a range of window ends a slice. The union of the ranges
is taken by sorting, and each range of the union counts +1 where it begins and −1 behind its end; a running sum over the
ends gives the count of every window. No value is copied into the windows that it is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.windows.partials import FROM, SLICE, DistinctSet, Layout, aggregate
from airflow_nrt.report.hidden import WINDOW_END
from airflow_nrt.report.windows import Sql

_IS_WINDOW = "_nrt_is_window"


def fire(layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
    """Merged accumulators of all windows with `after < end <= until`: the keys, `_nrt_end`, all accumulators.

    `closed` are closed partials, `rows` partials of rows (only for distinct sets), both of all slices in these windows.
    """
    windows = _windows(layout, closed, after, until)
    if not layout.sets or rows is None:
        return windows
    parts = [_padded(layout, windows.selectExpr("*", f"true AS {_IS_WINDOW}"))]
    for group in layout.sets:
        parts.append(_padded(layout, _changes(layout, group, rows, after, until)))
    together = reduce(DataFrame.unionAll, parts)
    set_columns = [one for group in layout.sets for one in group.accumulators]
    by = [*layout.keys, WINDOW_END]
    collected = together.groupBy(*by).agg(*_collected(layout))
    partition = f"PARTITION BY {', '.join(layout.keys)} " if layout.keys else ""
    running = f"({partition}ORDER BY {WINDOW_END} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    counted = collected.selectExpr(
        *layout.keys,
        WINDOW_END,
        _IS_WINDOW,
        *(one.name for one in layout.rows),
        *(one.merged(running) for one in set_columns),
    )
    return counted.where(_IS_WINDOW).drop(_IS_WINDOW)


def _range(layout: Layout, after: int, until: int) -> tuple[str, str]:
    """The first and last window among those that fire in which a partial counts."""
    window = layout.operator.window
    first_new = next(window.ends_between(after, after + window.stride))
    return f"greatest({FROM}, {first_new}L)", f"least({window.last_end(Sql(SLICE))}, {until}L)"


def _windows(layout: Layout, closed: DataFrame, after: int, until: int) -> DataFrame:
    """Partials merged into each window that they count in."""
    first, last = _range(layout, after, until)
    copies = closed.where(f"{first} <= {last}").selectExpr(
        *layout.keys,
        f"explode(sequence({first}, {last}, {layout.operator.window.stride}L)) AS {WINDOW_END}",
        *(one.name for one in layout.rows),
    )
    return aggregate(copies, [*layout.keys, WINDOW_END], layout.rows)


def _changes(layout: Layout, group: DistinctSet, rows: DataFrame, after: int, until: int) -> DataFrame:
    """By key and window end: what the set's accumulators gain (and lose again) there."""
    stride = layout.operator.window.stride
    first, last = _range(layout, after, until)
    by = ", ".join([*layout.keys, group.column])
    ranges = (
        rows.where(f"{group.column} IS NOT NULL AND {first} <= {last}")
        # Led by a number, nearly all comparisons of the sort end with it.
        .selectExpr(
            *layout.keys, group.column, f"{first} AS _nrt_first", f"{last} AS _nrt_last", f"xxhash64({by}) AS _nrt_hash"
        )
        .selectExpr(
            "*",
            f"max(_nrt_last) OVER (PARTITION BY _nrt_hash, {by} ORDER BY _nrt_first, _nrt_last "
            "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS _nrt_covered",
        )
        .selectExpr("*", f"greatest(_nrt_first, _nrt_covered + {stride}L) AS _nrt_begin")
        .where("_nrt_begin <= _nrt_last")
    )
    # Most values of a slice come and go together: they are counted before each counts twice.
    counted = ranges.selectExpr(*layout.keys, "_nrt_begin", "_nrt_last", *(one.lifted for one in group.accumulators))
    counted = aggregate(counted, [*layout.keys, "_nrt_begin", "_nrt_last"], group.accumulators)
    enters, leaves = "struct(_nrt_begin AS at, 1 AS sign)", f"struct(_nrt_last + {stride}L AS at, -1 AS sign)"
    signed = counted.selectExpr("*", f"explode(array({enters}, {leaves})) AS _nrt_e").selectExpr(
        *layout.keys,
        f"_nrt_e.at AS {WINDOW_END}",
        *(f"CAST({one.name} * _nrt_e.sign AS {one.type}) AS {one.name}" for one in group.accumulators),
    )
    return aggregate(signed, [*layout.keys, WINDOW_END], group.accumulators)


def _padded(layout: Layout, part: DataFrame) -> DataFrame:
    have = set(part.columns)
    columns = [
        one.name if one.name in have else f"CAST(NULL AS {one.type}) AS {one.name}" for one in layout.all_accumulators
    ]
    flag = _IS_WINDOW if _IS_WINDOW in have else f"false AS {_IS_WINDOW}"
    return part.selectExpr(*layout.keys, WINDOW_END, flag, *columns)


def _collected(layout: Layout) -> Iterator[Column]:
    yield F.expr(f"bool_or({_IS_WINDOW}) AS {_IS_WINDOW}")
    for one in layout.all_accumulators:
        yield F.expr(one.merged())
