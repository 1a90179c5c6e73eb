"""Which rows make one session: the one definition that the stream, the batch and the verifier share.

A *unit* is a row, or rows of one session that were put together: the interval from `_nrt_start` to `_nrt_slice`, which
is the gap behind its last rowtime, and the watermark `_nrt_seen` that its batch began with. Units whose intervals touch
are one session, unless the watermark had completed the one before the other arrived: then it had fired. A unit is late
if the session that it would make is complete already (FLIP-145, and Flink's merging window assigner).

Of a key without units behind their watermark the intervals alone tell the sessions. Only for the others the arrivals
are gone through in their order, batch by batch.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.model.internal_columns import BATCH, SEEN, WINDOW_START

IS_LATE = "_nrt_is_late"
FIRST, LAST = "_nrt_island_from", "_nrt_island_until"
_BEHIND = "_nrt_behind"


def assigned(units: DataFrame, partition: Sequence[str]) -> DataFrame:
    """The units with the bounds of their session in place of their own, and whether they are late.

    `partition` are the columns whose values each have sessions of their own. `_nrt_seen` and `_nrt_batch` stay where
    they can matter to units that come later, else they are NULL.
    """
    behind = units.selectExpr(
        "*", f"coalesce(max({WINDOW_START} <= {SEEN} + 1) OVER ({_partition(partition)}), false) AS {_BEHIND}"
    )
    told = [name for name in behind.columns if name not in (SEEN, BATCH)]
    arrived = behind.selectExpr(*told, *(f"IF({_BEHIND}, {name}, NULL) AS {name}" for name in (SEEN, BATCH)))
    alone = islands(arrived, [*partition, SEEN, BATCH])
    merged = _merged(alone.where(_BEHIND), partition)
    same = [F.col(f"i.{name}").eqNullSafe(F.col(f"m.{name}")) for name in (*partition, SEEN, BATCH, FIRST)]
    joined = alone.alias("i").join(F.broadcast(merged.alias("m")), same, "left")
    kept = [f"i.{name}" for name in units.columns if name not in (WINDOW_START, SLICE)]
    return joined.selectExpr(
        *kept,
        f"coalesce(m.start, i.{FIRST}) AS {WINDOW_START}",
        f"coalesce(m.end, i.{LAST}) AS {SLICE}",
        f"coalesce(m.end - 1 <= i.{SEEN}, false) AS {IS_LATE}",
    )


def _partition(by: Sequence[str], order: str = "") -> str:
    keys = f"PARTITION BY {', '.join(by)} " if by else ""
    return f"{keys}{f'ORDER BY {order}' if order else ''}"


def islands(units: DataFrame, by: Sequence[str]) -> DataFrame:
    """The units with the bounds FIRST and LAST of the island of touching units, of equal `by`, that they lie in."""
    in_order = _partition(by, f"{WINDOW_START}, {SLICE}")
    reached = units.selectExpr(
        "*", f"max({SLICE}) OVER ({in_order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS _nrt_reached"
    )
    numbered = reached.selectExpr(
        "*",
        f"sum(IF(_nrt_reached >= {WINDOW_START}, 0, 1)) OVER "
        f"({in_order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS _nrt_island",
    )
    island = _partition([*by, "_nrt_island"])
    return numbered.selectExpr(
        *units.columns,
        f"min({WINDOW_START}) OVER ({island}) AS {FIRST}",
        f"max({SLICE}) OVER ({island}) AS {LAST}",
    )


def _merged(islands: DataFrame, partition: Sequence[str]) -> DataFrame:
    """By island of a batch: the bounds `start` and `end` of the session that it came to lie in.

    The islands of a key go through a fold: first those of earlier batches, in one batch the later ones first, because
    an early row is in time if rows behind it lead to a session that is still open.
    """
    each = islands.select(*partition, SEEN, BATCH, FIRST, LAST).distinct()
    arrival = f"struct({SEEN} AS seen, {BATCH} AS batch, -{FIRST} AS backwards, {FIRST} AS start, {LAST} AS end)"
    keyed = each.groupBy(*partition).agg(F.expr(f"sort_array(collect_list({arrival})) AS arrivals"))
    sessions = keyed.selectExpr(*partition, f"inline({_FOLD})")
    return sessions.selectExpr(*partition, "start", "end", "inline(members)").withColumnsRenamed(
        {"seen": SEEN, "batch": BATCH, "island": FIRST}
    )


_MEMBER = "STRUCT<seen: BIGINT, batch: BIGINT, island: BIGINT>"
_TOUCHES = "(a.seen IS NULL OR s.end - 1 > a.seen) AND s.start <= a.end AND a.start <= s.end"
_TOUCHED = f"filter(sessions, s -> {_TOUCHES})"
_JOINED = f"""struct(
    least(a.start, array_min(transform({_TOUCHED}, s -> s.start))) AS start,
    greatest(a.end, array_max(transform({_TOUCHED}, s -> s.end))) AS end,
    concat(flatten(transform({_TOUCHED}, s -> s.members)),
        array(struct(a.seen AS seen, a.batch AS batch, a.start AS island))) AS members)"""
_FOLD = f"""aggregate(arrivals, CAST(array() AS ARRAY<STRUCT<start: BIGINT, end: BIGINT, members: ARRAY<{_MEMBER}>>>),
    (sessions, a) -> concat(filter(sessions, s -> NOT ({_TOUCHES})), array({_JOINED})))"""
