"""Which rows are one session: the definition that the stream, the batch and the verifier share.

A *unit* is a row, or the merged rows of a session. It has an interval, from `_nrt_start` to `_nrt_slice` (its last
rowtime plus the gap), and the watermark `_nrt_seen` at the beginning of its batch. Units whose intervals touch are one
session, unless the watermark had completed one of them before the other arrived: then that session had fired. A unit is
late if its session would be complete already (FLIP-145, and Flink's merging window assigner).

If no unit of a key is older than its watermark, the intervals alone decide its sessions. Only for other keys the
arrivals are processed in their order, batch by batch.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.model.internal_columns import BATCH, SEEN, WINDOW_START

IS_LATE = "_nrt_is_late"
FIRST, LAST = "_nrt_island_from", "_nrt_island_until"
_HAS_OLDER = "_nrt_behind"
"""Whether the unit's partition has a unit that is older than its watermark."""


def assigned(units: DataFrame, partition: Sequence[str]) -> DataFrame:
    """The units with the bounds of their session instead of their own, and whether they are late.

    `partition` are the columns by which sessions are separate. `_nrt_seen` and `_nrt_batch` are kept where they can
    matter to later units, else they are NULL.
    """
    flagged = units.selectExpr(
        "*", f"coalesce(max({WINDOW_START} <= {SEEN} + 1) OVER ({_partition(partition)}), false) AS {_HAS_OLDER}"
    )
    others = [name for name in flagged.columns if name not in (SEEN, BATCH)]
    arrived = flagged.selectExpr(*others, *(f"IF({_HAS_OLDER}, {name}, NULL) AS {name}" for name in (SEEN, BATCH)))
    alone = islands(arrived, [*partition, SEEN, BATCH])
    merged = _merged(alone.where(_HAS_OLDER), partition)
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
    """SQL inside OVER.

    >>> print(_partition(["shop"], "start"))
    PARTITION BY shop ORDER BY start
    """
    keys = f"PARTITION BY {', '.join(by)} " if by else ""
    return f"{keys}{f'ORDER BY {order}' if order else ''}"


def islands(units: DataFrame, by: Sequence[str]) -> DataFrame:
    """The units with the bounds FIRST and LAST of their island: touching units of equal `by`."""
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
    """By island of a batch, the bounds `start` and `end` of its session.

    A fold merges the islands of a key: batch by batch, and within a batch the later islands first, because an early row
    is in time if later rows connect it to a session that is still open.
    """
    each = islands.select(*partition, SEEN, BATCH, FIRST, LAST).distinct()
    arrival = f"struct({SEEN} AS watermark, {BATCH} AS batch, -{FIRST} AS backwards, {FIRST} AS start, {LAST} AS end)"
    keyed = each.groupBy(*partition).agg(F.expr(f"sort_array(collect_list({arrival})) AS arrivals"))
    sessions = keyed.selectExpr(*partition, f"inline({_FOLD})")
    return sessions.selectExpr(*partition, "start", "end", "inline(members)").withColumnsRenamed(
        {"watermark": SEEN, "batch": BATCH, "island": FIRST}
    )


_MEMBER = "STRUCT<watermark: BIGINT, batch: BIGINT, island: BIGINT>"
_TOUCHES = "(a.watermark IS NULL OR s.end - 1 > a.watermark) AND s.start <= a.end AND a.start <= s.end"
_TOUCHED = f"filter(sessions, s -> {_TOUCHES})"
_JOINED = f"""struct(
    least(a.start, array_min(transform({_TOUCHED}, s -> s.start))) AS start,
    greatest(a.end, array_max(transform({_TOUCHED}, s -> s.end))) AS end,
    concat(flatten(transform({_TOUCHED}, s -> s.members)),
        array(struct(a.watermark AS watermark, a.batch AS batch, a.start AS island))) AS members)"""
_FOLD = f"""aggregate(arrivals, CAST(array() AS ARRAY<STRUCT<start: BIGINT, end: BIGINT, members: ARRAY<{_MEMBER}>>>),
    (sessions, a) -> concat(filter(sessions, s -> NOT ({_TOUCHES})), array({_JOINED})))"""
