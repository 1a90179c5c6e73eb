"""Closing slices: partials of single rows to one partial for each key and slice, with the distinct values counted in.

A distinct value of TUMBLE and CUMULATE counts in the first slice that it is seen in; so it is in every later window of
the same start, and nowhere twice. HOP counts its distinct values when it fires (`hop.py`), because there they also
leave windows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.windows.partials import DistinctSet, Layout, aggregate, padded
from airflow_nrt.model.windows import Sql

GROUP_END = "_nrt_group"
"""The end of the last window that holds a slice: with the keys it names the windows that share a start."""
_KNOWN = "_nrt_known"
_HASH = "_nrt_hash"


@dataclass(frozen=True)
class History:
    """Partials of earlier slices of the windows that close. If they are `long`, the new ones are few beside them."""

    partials: DataFrame
    is_long: bool


def close(layout: Layout, rows: DataFrame, history: History | None, tasks: Tasks) -> DataFrame:
    """Partials of closing slices to one for each key and slot: `layout.keys`, `layout.slots`, all accumulators.

    `history` is None where no earlier slice of these windows has rows.
    """
    by = [*layout.keys, *layout.slots]
    if not (layout.nested and layout.sets):
        return aggregate(rows, by, layout.rows)
    rows = exchanged(layout, rows, tasks)
    if layout.operator.window.one_slice and len(layout.sets) == 1 and not layout.needs_python:
        return _by_value(layout, layout.sets[0], rows)
    parts = [padded(layout, by, aggregate(rows, by, layout.rows))]
    for group in layout.sets:
        parts.append(padded(layout, by, _first_seen(layout, group, rows, history, tasks)))
    together = reduce(DataFrame.unionAll, parts)
    return aggregate(together, by, layout.all_accumulators)


def _by_value(layout: Layout, group: DistinctSet, rows: DataFrame) -> DataFrame:
    """In one way, where a slice is all of its windows: by value first, so that the groups of a slice are its values."""
    by = [*layout.keys, *layout.slots]
    of_value = aggregate(rows, [*by, group.column], layout.rows)
    counted = of_value.selectExpr(*by, *(one.name for one in layout.rows), *(one.lifted for one in group.accumulators))
    return aggregate(counted, by, layout.all_accumulators)


def exchanged(layout: Layout, rows: DataFrame, tasks: Tasks) -> DataFrame:
    """The partials by key, for several branches that read them: one exchange serves them all.

    It is one only as long as they ask it for the same columns, so nothing may be pruned below the observation (that
    nobody reads).
    """
    moved = tasks.by_key(rows, layout.keys)
    if moved is rows:
        return rows
    return moved.observe(Observation(), F.first(F.struct(*moved.columns)).alias("row"))


def _first_seen(
    layout: Layout, group: DistinctSet, rows: DataFrame, history: History | None, tasks: Tasks
) -> DataFrame:
    """Accumulators over the values that no earlier slice of their windows has seen, each in its first slice."""
    by = [*layout.keys, GROUP_END, group.column]
    found = _values(layout, group, rows, "false")
    if history is None:
        first = found.groupBy(*by).agg(F.min(SLICE).alias(SLICE))
    else:
        seen = _values(layout, group, history.partials, "true")
        if history.is_long:
            # One look at what was seen, against the few that are new, instead of moving all of it by key.
            seen = _alike(seen, found.select(*by))
        both = found.unionAll(tasks.by_key(seen, layout.keys))
        first = both.groupBy(*by).agg(F.min(SLICE).alias(SLICE), F.max(_KNOWN).alias(_KNOWN)).where(f"NOT {_KNOWN}")
    lifted = first.selectExpr(*layout.keys, SLICE, *(one.lifted for one in group.accumulators))
    return aggregate(lifted, [*layout.keys, SLICE], group.accumulators)


def _alike(seen: DataFrame, found: DataFrame) -> DataFrame:
    """Those of many seen values that have the hash of one of the few found: all that are among them, if not only these.

    Of nearly all it says no, and Spark says that several times as fast of one number as of rows.
    """
    hashed = f"xxhash64({', '.join(found.columns)}) AS {_HASH}"
    few = F.broadcast(found.selectExpr(hashed))
    return seen.selectExpr("*", hashed).join(few, _HASH, "left_semi").drop(_HASH)


def _values(layout: Layout, group: DistinctSet, rows: DataFrame, known: str) -> DataFrame:
    group_end = f"{layout.operator.window.last_end(Sql(SLICE))} AS {GROUP_END}"
    columns = [*layout.keys, SLICE, group.column, group_end, f"{known} AS {_KNOWN}"]
    return rows.where(f"{group.column} IS NOT NULL").selectExpr(*columns)
