"""Closing slices: partials of single rows are merged to one partial for each key and slice, with distinct values.

A distinct value of TUMBLE and CUMULATE counts in the first slice in which it occurs. So it is in every later window
with the same start, and nowhere twice. HOP counts distinct values when it fires (`hop.py`), because its windows also
lose values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.distinct_sets import DistinctSet
from airflow_nrt.engine.aggregates.group_merge import aggregate, exchanged, merge_groups, padded
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.model.windows import Sql

GROUP_END = "_nrt_group"
"""The end of the last window that holds a slice. With the keys it identifies the windows with one start."""
_KNOWN = "_nrt_known"
_HASH = "_nrt_hash"


@dataclass(frozen=True)
class History:
    """Partials of earlier slices of the closing windows. `is_long`: the new partials are few in comparison."""

    partials: DataFrame
    is_long: bool


def close(layout: Layout, rows: DataFrame, history: History | None, tasks: Tasks) -> DataFrame:
    """Merges partials of closing slices to one for each key and slot: the keys, the slots, all accumulators.

    `history` is None if no earlier slice of these windows has rows.
    """
    by, accumulators = [*layout.keys, *layout.slots], layout.accumulators
    if not (layout.slices.counts_when_closing and accumulators.sets):
        return aggregate(rows, by, accumulators.of_rows)
    if not layout.slices.shared:
        return merge_groups(accumulators, layout.keys, layout.slots, rows, tasks)
    rows = exchanged(layout.keys, rows, tasks)
    parts = [padded(accumulators, by, aggregate(rows, by, accumulators.of_rows))]
    for group in accumulators.sets:
        parts.append(padded(accumulators, by, _first_seen(layout, group, rows, history, tasks)))
    return aggregate(reduce(DataFrame.unionAll, parts), by, accumulators.all)


def _first_seen(
    layout: Layout, group: DistinctSet, rows: DataFrame, history: History | None, tasks: Tasks
) -> DataFrame:
    """Accumulators over the values that are in no earlier slice of their windows, each in its first slice."""
    by = [*layout.keys, GROUP_END, group.column]
    found = _values(layout, group, rows, "false")
    if history is None:
        first = found.groupBy(*by).agg(F.min(SLICE).alias(SLICE))
    else:
        known = _values(layout, group, history.partials, "true")
        if history.is_long:
            # One scan of the known values, with the few new ones broadcast, instead of an exchange of all by key.
            known = _with_hash_of(known, found.select(*by))
        both = found.unionAll(tasks.by_key(known, layout.keys))
        first = both.groupBy(*by).agg(F.min(SLICE).alias(SLICE), F.max(_KNOWN).alias(_KNOWN)).where(f"NOT {_KNOWN}")
    lifted = first.selectExpr(*layout.keys, SLICE, *(one.lifted for one in group.accumulators))
    return aggregate(lifted, [*layout.keys, SLICE], group.accumulators)


def _with_hash_of(known: DataFrame, found: DataFrame) -> DataFrame:
    """The known values with the hash of a found one: all equal ones, and possibly a few others.

    Nearly all known values are filtered out, and Spark compares one number several times as fast as rows.
    """
    hashed = f"xxhash64({', '.join(found.columns)}) AS {_HASH}"
    few = F.broadcast(found.selectExpr(hashed))
    return known.selectExpr("*", hashed).join(few, _HASH, "left_semi").drop(_HASH)


def _values(layout: Layout, group: DistinctSet, rows: DataFrame, known: str) -> DataFrame:
    group_end = f"{layout.operator.window.last_end(Sql(SLICE))} AS {GROUP_END}"
    columns = [*layout.keys, SLICE, group.column, group_end, f"{known} AS {_KNOWN}"]
    return rows.where(f"{group.column} IS NOT NULL").selectExpr(*columns)
