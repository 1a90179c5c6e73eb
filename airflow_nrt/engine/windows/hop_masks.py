"""Distinct values in the windows of HOP, by masks: a bit for each window of a block, set if it holds the value.

One aggregate combines the ranges of a value by a bitwise OR. Most values of a key then share their mask with many
others. So masks with a count are copied into windows, instead of values.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.accumulator_layout import DistinctSet
from airflow_nrt.engine.aggregates.group_merge import aggregate
from airflow_nrt.engine.windows.layout import Layout
from airflow_nrt.model.internal_columns import WINDOW_END

BLOCK = 62
"""Windows of a mask. A BIGINT has 64 bits; one is its sign, and `1 << BLOCK` must fit, too."""
_BLOCK, _MASK, _BIT = "_nrt_block", "_nrt_mask", "_nrt_bit"


def in_windows(layout: Layout, group: DistinctSet, values: DataFrame, origin: int) -> DataFrame:
    """The keys, `_nrt_end`, the set's accumulators over the values that the window holds.

    `values` are the keys, the value, and the range of windows in which it counts: `_nrt_first`, `_nrt_last`, both ends.
    They begin with `origin`, or later.
    """
    stride = layout.operator.window.stride
    first, last = (f"(({end} - {origin}L) DIV {stride})" for end in ("_nrt_first", "_nrt_last"))
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
    end = f"{origin}L + {stride}L * ({BLOCK} * {_BLOCK} + {_BIT}) AS {WINDOW_END}"
    return copies.selectExpr(*layout.keys, end, *names)


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
