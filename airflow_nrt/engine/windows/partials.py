"""Partials of a window operator: how rows become partials, and partials of a group are merged.

k0, k1, …     the keys
_nrt_slice    bigint   the slice (its end, ms) in which the partial counts, NULL where it counts in no window
_nrt_from     bigint   HOP only: the first window (its end) in which it counts; it closes with that window
_nrt_start    bigint   SESSION only: the start of its session, as far as known; `_nrt_slice` is the end
_nrt_seen     bigint   SESSION only: the watermark at the beginning of its batch
_nrt_life     bigint   OVER only, where keys expire: the key's generation, the watermark at which that began
_nrt_stays    bigint   and the watermark at which the key expires; NULL in rows that it does not include yet
x0, x1, …              the values of distinct sets, and
…                      the accumulators of the other aggregates (`AccumulatorLayout`)
_nrt_late     string   a late row as JSON, for the ledger; NULL for rows in time
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.engine.aggregates.group_merge import aggregate
from airflow_nrt.engine.state.state_columns import LATE
from airflow_nrt.engine.windows.lateness import late, placed, slots
from airflow_nrt.engine.windows.operator_layout import Layout


def lift(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query to partials of one row each. `_nrt_seen` decides which are late."""
    accumulators = layout.accumulators
    lifted = placed(layout, rows).selectExpr(*layout.keys, *slots(layout), *accumulators.lifted, late(layout))
    return lifted if accumulators.sets else combine(layout, lifted, (LATE,))


def combine(layout: Layout, partials: DataFrame, more: Sequence[str] = ()) -> DataFrame:
    """The partials merged to one for each key, slot and distinct values (and `more` columns)."""
    by = [*layout.keys, *layout.slots, *layout.stored, *layout.accumulators.values, *more]
    return aggregate(partials, by, layout.accumulators.of_rows)
