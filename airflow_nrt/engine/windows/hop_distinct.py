"""Distinct values in the windows of HOP, of which most overlap: by masks, or for windows of many slides by ranges.

By masks: a bit for each window of a block, set if it holds the value. One aggregate combines the ranges of a value by a
bitwise OR. Most values of a key then share their mask with many others. So masks with a count are copied into windows,
instead of values.

By ranges: a value enters where a range begins, and leaves where it ends. Sorting gives the union of the ranges of a
value. So the cost of a value does not depend on how many windows hold it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.engine.aggregates.distinct_sets import DistinctSet
from airflow_nrt.engine.aggregates.group_merge import aggregate
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.windows import Sql

_NEXT = "_nrt_next"
_HELD = Accumulator("_nrt_held", "1", "BIGINT")
"""The number of values of a window. Without values the key has no such window."""
BLOCK = 62
"""Windows of a mask. A BIGINT has 64 bits; one is its sign, and `1 << BLOCK` must fit, too."""
_BLOCK, _MASK, _BIT = "_nrt_block", "_nrt_mask", "_nrt_bit"


def in_windows(layout: Layout, group: DistinctSet, values: DataFrame, origin: int) -> DataFrame:
    """The keys, `_nrt_end`, the set's accumulators over the values that the window holds.

    `values` are the keys, the value, and the range of windows in which it counts: `_nrt_first`, `_nrt_last`, both ends.
    They begin with `origin`, or later.
    """
    window = layout.operator.window
    if window.longest <= BLOCK * window.grid.shortest:
        # A value needs at most two masks.
        return _by_masks(layout, group, values, origin)
    return _by_ranges(layout, group, values)


def _by_masks(layout: Layout, group: DistinctSet, values: DataFrame, origin: int) -> DataFrame:
    grid = layout.operator.window.grid
    first, last = (grid.steps(origin, Sql(end)) for end in ("_nrt_first", "_nrt_last"))
    low = f"CAST(greatest({first} - {BLOCK} * {_BLOCK}, 0) AS INT)"
    high = f"CAST(least({last} - {BLOCK} * {_BLOCK} + 1, {BLOCK}) AS INT)"
    by = [*layout.keys, group.column, _BLOCK]
    masks = (
        values.selectExpr("*", f"explode(sequence({first} DIV {BLOCK}, {last} DIV {BLOCK})) AS {_BLOCK}")
        .selectExpr(*by, f"shiftleft(1L, {high}) - shiftleft(1L, {low}) AS {_MASK}")
        .groupBy(*by)
        .agg(F.bit_or(_MASK).alias(_MASK))
        .selectExpr(*layout.keys, _BLOCK, _MASK, *(one.lifted for one in group.accumulators))
    )
    counted = aggregate(masks, [*layout.keys, _BLOCK, _MASK], group.accumulators)
    names = [one.name for one in group.accumulators]
    copies = counted.selectExpr(*layout.keys, _BLOCK, f"explode({_bits(_MASK)}) AS {_BIT}", *names)
    end = grid.stepped(origin, Sql(f"({BLOCK} * {_BLOCK} + {_BIT})"))
    return copies.selectExpr(*layout.keys, f"{end} AS {WINDOW_END}", *names)


def _bits(mask: str) -> str:
    """SQL of the bits that are set. Most masks have one run of bits, for which the bits are not tested one by one.

    >>> print(_bits("mask"))
    IF((mask + (mask & -mask)) & mask = 0, sequence(bit_count((mask & -mask) - 1), bit_count((mask & -mask) - 1) +
    bit_count(mask) - 1), filter(sequence(0, 61), bit -> (mask & shiftleft(1L, bit)) != 0))
    """
    lowest = f"({mask} & -{mask})"
    at = f"bit_count({lowest} - 1)"
    run = f"sequence({at}, {at} + bit_count({mask}) - 1)"
    each = f"filter(sequence(0, {BLOCK - 1}), bit -> ({mask} & shiftleft(1L, bit)) != 0)"
    return f"IF(({mask} + {lowest}) & {mask} = 0, {run}, {each})"


def _by_ranges(layout: Layout, group: DistinctSet, values: DataFrame) -> DataFrame:
    grid = layout.operator.window.grid
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
        .selectExpr("*", f"greatest(_nrt_first, {grid.shifted(Sql('_nrt_covered'), 1)}) AS _nrt_begin")
        .where("_nrt_begin <= _nrt_last")
    )
    # Most values of a slice enter and leave together, so they are counted before the rows are doubled.
    counted = ranges.selectExpr(*layout.keys, "_nrt_begin", "_nrt_last", *(one.lifted for one in accumulators))
    counted = aggregate(counted, [*layout.keys, "_nrt_begin", "_nrt_last"], accumulators)
    left = grid.shifted(Sql("_nrt_last"), 1)
    enters, leaves = "struct(_nrt_begin AS at, 1 AS sign)", f"struct({left} AS at, -1 AS sign)"
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
    grid = layout.operator.window.grid
    ends = grid.sequence(WINDOW_END, grid.shifted(Sql(_NEXT), -1).text)
    names = [one.name for one in accumulators if one is not _HELD]
    # After the last change no value is left.
    return running.where(f"{_HELD.name} > 0").selectExpr(*layout.keys, f"explode({ends}) AS {WINDOW_END}", *names)
