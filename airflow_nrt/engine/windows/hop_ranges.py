"""Distinct values in the windows of HOP, by ranges: a value enters where a range begins, and leaves where it ends.

Sorting gives the union of the ranges of a value. So the cost of a value does not depend on how many windows hold it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.engine.aggregates.accumulator_layout import DistinctSet
from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.engine.aggregates.group_merge import aggregate
from airflow_nrt.engine.windows.layout import Layout
from airflow_nrt.model.internal_columns import WINDOW_END

_NEXT = "_nrt_next"
_HELD = Accumulator("_nrt_held", "1", "BIGINT")
"""The number of values of a window. Without values the key has no such window."""


def in_windows(layout: Layout, group: DistinctSet, values: DataFrame) -> DataFrame:
    """The keys, `_nrt_end`, the set's accumulators over the values that the window holds.

    `values` are the keys, the value, and the range of windows in which it counts: `_nrt_first`, `_nrt_last`, both ends.
    """
    stride = layout.operator.window.stride
    by = ", ".join([*layout.keys, group.column])
    accumulators = (*group.accumulators, _HELD)
    ranges = (
        # Sorting by a hash first is faster: nearly all comparisons end there.
        values.selectExpr("*", f"xxhash64({by}) AS _nrt_hash")
        .selectExpr(
            "*",
            f"max(_nrt_last) OVER (PARTITION BY _nrt_hash, {by} ORDER BY _nrt_first, _nrt_last "
            "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS _nrt_covered",
        )
        .selectExpr("*", f"greatest(_nrt_first, _nrt_covered + {stride}L) AS _nrt_begin")
        .where("_nrt_begin <= _nrt_last")
    )
    # Most values of a slice enter and leave together, so they are counted before the rows are doubled.
    counted = ranges.selectExpr(*layout.keys, "_nrt_begin", "_nrt_last", *(one.lifted for one in accumulators))
    counted = aggregate(counted, [*layout.keys, "_nrt_begin", "_nrt_last"], accumulators)
    enters, leaves = "struct(_nrt_begin AS at, 1 AS sign)", f"struct(_nrt_last + {stride}L AS at, -1 AS sign)"
    signed = counted.selectExpr("*", f"explode(array({enters}, {leaves})) AS _nrt_e").selectExpr(
        *layout.keys,
        f"_nrt_e.at AS {WINDOW_END}",
        *(f"CAST({one.name} * _nrt_e.sign AS {one.type}) AS {one.name}" for one in accumulators),
    )
    return _running(layout, accumulators, aggregate(signed, [*layout.keys, WINDOW_END], accumulators))


def _running(layout: Layout, accumulators: Sequence[Accumulator], changes: DataFrame) -> DataFrame:
    """The accumulators of each window: the running total of the changes."""
    partition = f"PARTITION BY {', '.join(layout.keys)} " if layout.keys else ""
    ordered = f"{partition}ORDER BY {WINDOW_END}"
    running = changes.selectExpr(
        *layout.keys,
        WINDOW_END,
        f"lead({WINDOW_END}) OVER ({ordered}) AS {_NEXT}",
        *(one.merged(f"({ordered} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)") for one in accumulators),
    )
    stride = f"{layout.operator.window.stride}L"
    ends = f"sequence({WINDOW_END}, {_NEXT} - {stride}, {stride})"
    names = [one.name for one in accumulators if one is not _HELD]
    # After the last change no value is left.
    return running.where(f"{_HELD.name} > 0").selectExpr(*layout.keys, f"explode({ends}) AS {WINDOW_END}", *names)
