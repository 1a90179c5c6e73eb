"""Closing slices: partials of single rows to one partial for each key and slice, with the distinct values counted in.

A distinct value of TUMBLE and CUMULATE counts in the first slice that it is seen in; so it is in every later window of
the same start, and nowhere twice. `history` are the partials of earlier slices of the same windows. HOP
counts its distinct values when it fires (`hop.py`), because there they also leave windows.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import same
from airflow_nrt.engine.windows.partials import SLICE, DistinctSet, Layout, aggregate
from airflow_nrt.report.windows import Sql

GROUP_END = "_nrt_group"
"""The end of the last window that holds a slice: with the keys it names the windows that share a start."""


def close(layout: Layout, rows: DataFrame, history: DataFrame | None) -> DataFrame:
    """Partials of closing slices to one for each key and slot: `layout.keys`, `layout.slots`, all accumulators.

    `history` is None where no earlier slice of these windows has rows.
    """
    by = [*layout.keys, *layout.slots]
    if layout.is_hop or not layout.sets:
        return aggregate(rows, by, layout.rows)
    # All branches below read the same rows: one exchange by key serves them all. It is one only as long as they ask it
    # for the same columns, so nothing may be pruned below the observation (that nobody reads).
    shared = _unpruned(rows.repartition(*layout.keys)) if layout.keys else rows
    parts = [_padded(layout, aggregate(shared, by, layout.rows))]
    for group in layout.sets:
        parts.append(_padded(layout, _first_seen(layout, group, shared, history)))
    together = reduce(DataFrame.unionAll, parts)
    return aggregate(together, by, layout.all_accumulators)


def _unpruned(rows: DataFrame) -> DataFrame:
    return rows.observe(Observation(), *(F.first(name).alias(name) for name in rows.columns))


def _padded(layout: Layout, partials: DataFrame) -> DataFrame:
    """The partials with NULL in the accumulators that they have no part in."""
    have = set(partials.columns)
    columns = [
        one.name if one.name in have else f"CAST(NULL AS {one.type}) AS {one.name}" for one in layout.all_accumulators
    ]
    return partials.selectExpr(*layout.keys, *layout.slots, *columns)


def _first_seen(layout: Layout, group: DistinctSet, rows: DataFrame, history: DataFrame | None) -> DataFrame:
    """Accumulators over the values that no earlier slice of their windows has seen, each in its first slice."""
    window = layout.operator.window
    group_end = f"{window.last_end(Sql(SLICE))} AS {GROUP_END}"
    by = [*layout.keys, GROUP_END, group.column]
    found = rows.where(f"{group.column} IS NOT NULL").selectExpr(*layout.keys, SLICE, group.column, group_end)
    first = found.groupBy(*by).agg(F.min(SLICE).alias(SLICE))
    if history is not None:
        before = history.where(f"{group.column} IS NOT NULL").selectExpr(*layout.keys, group.column, group_end)
        first = _without(first, before, by)
    lifted = first.selectExpr(*layout.keys, SLICE, *(one.lifted for one in group.accumulators))
    return aggregate(lifted, [*layout.keys, SLICE], group.accumulators)


def _without(new: DataFrame, known: DataFrame, by: list[str]) -> DataFrame:
    """The rows of `new` that `known` does not have, NULL being equal to NULL."""
    return new.alias("l").join(known.alias("r"), same(by), "left_anti")
