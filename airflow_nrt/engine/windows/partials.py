"""Partials of a window operator: how rows become partials, and partials of a group are merged.

k0, k1, …     the keys
_nrt_slice    bigint   the slice (its end, ms) in which the partial counts, NULL where it counts in no window
_nrt_from     bigint   HOP only: the first window (its end) in which it counts; it closes with that window
_nrt_start    bigint   SESSION only: the start of its session, as far as known; `_nrt_slice` is the end
_nrt_seen     bigint   SESSION only: the watermark at the beginning of its batch
_nrt_life     bigint   OVER only, where keys expire: the key's generation, the watermark at which that began
_nrt_stays    bigint   and the watermark at which the key expires; NULL in rows that it does not include yet
x0, x1, …              the value of each distinct set, NULL where it is not counted
…                      the accumulators of the other aggregates
_nrt_late     string   a late row as JSON, for the ledger; NULL for rows in time
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.engine.state.columns import LATE
from airflow_nrt.engine.windows.lateness import late, placed, slots
from airflow_nrt.engine.windows.layout import Layout


def lift(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query to partials of one row each. `_nrt_seen` decides which are late."""
    values = [f"{sql} AS {name}" for name, sql in layout.values]
    accumulators = [one.lifted for one in layout.row_accumulators]
    lifted = placed(layout, rows).selectExpr(*layout.keys, *slots(layout), *values, *accumulators, late(layout))
    return lifted if layout.sets else combine(layout, lifted, (LATE,))


def combine(layout: Layout, partials: DataFrame, more: Sequence[str] = ()) -> DataFrame:
    """The partials merged to one for each key, slot and distinct values (and `more` columns)."""
    by = [*layout.keys, *layout.slots, *layout.stored, *(name for name, _ in layout.values), *more]
    return aggregate(partials, by, layout.row_accumulators)


def aggregate(partials: DataFrame, by: Sequence[str], columns: Sequence[Accumulator]) -> DataFrame:
    """GROUP BY with merged accumulators, after the columns of the group."""
    if not columns:
        return partials.select(*by).distinct()
    return partials.groupBy(*by).agg(*(F.expr(one.merged()) for one in columns))


def padded(layout: Layout, by: Sequence[str], part: DataFrame) -> DataFrame:
    """The part with the columns of its group, and NULL in the accumulators that it does not have."""
    have = set(part.columns)
    columns = [
        one.name if one.name in have else f"CAST(NULL AS {one.type}) AS {one.name}" for one in layout.all_accumulators
    ]
    return part.selectExpr(*by, *columns)
