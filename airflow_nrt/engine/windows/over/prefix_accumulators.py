"""The state of rows of OVER that have fired.

Rows that bounded frames still need are kept. For unbounded frames *heads* replace them: a partial of all earlier rows
of a key, and the key's distinct values. A firing writes the heads of its own rows only. Several heads of a key have the
same result as one, into which compaction merges them. Where all keys have a day or another part of the time, the heads
of a day are dropped when a row of a later day fires, because rows fire in the order of their times.

    rows that fired        | fire now          a frame that begins with the first row
    r r r r r r r r r r r  | n n n
    [--- head --][-head--]   n n n             has heads and new rows
              (r r r)        n n n             ROWS 3 PRECEDING: kept rows and new rows
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.engine.aggregates.accumulator_layout import names
from airflow_nrt.engine.aggregates.group_merge import aggregate
from airflow_nrt.engine.spark.query_frames import same
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.over.row_frames import HEAD, PLACE, frames_of, unbounded, value_columns
from airflow_nrt.home.log.position.state_kinds import HEADS_END


def kept(layout: Layout, fired: DataFrame, until: int) -> DataFrame | None:
    """The rows that bounded frames of future rows need, and those that wait for future rows.

    They include the last row of each key, if it decides which rows are late.
    """
    operator = layout.operator
    wait = operator.followers
    bounded = [frame for frame in operator.frames if frame.low is not None or wait]
    flags, wanted = [], []
    for n, partition in enumerate(dict.fromkeys(frame.partition for frame in bounded)):
        frames = [frame for frame in bounded if frame.partition == partition]
        keys = f"PARTITION BY {', '.join(partition)}" if partition else ""
        lows = [max(frame.low or 0, 0) + wait for frame in frames if frame.unit == "ROWS"]
        rows = max([0 if operator.strict else 1, *lows])
        length = max([0, *(frame.low or 0 for frame in frames if frame.unit == "RANGE")])
        if operator.strict:
            # Future rows are after all rows that have fired.
            wanted.append(f"{SLICE} > {until - length}L")
        else:
            flags.append(f"max({SLICE}) OVER ({keys}) AS _nrt_last_{n}")
            wanted.append(f"{SLICE} >= _nrt_last_{n} - {length}L")
        if rows:
            backwards = ", ".join(f"{column} DESC" for column in (SLICE, *PLACE))
            flags.append(f"row_number() OVER ({keys} ORDER BY {backwards}) AS _nrt_rank_{n}")
            needed = f"_nrt_rank_{n} <= {rows}"
            idle = [frame.idle for frame in frames if frame.unit == "ROWS" and frame.idle is not None]
            if len(idle) == len(lows):
                # All of these rows of a key that goes on are needed, to count as far as the frame.
                flags.append(f"max({SLICE}) OVER ({keys}) AS _nrt_newest_{n}")
                needed = f"({needed} AND _nrt_newest_{n} > {until - max(idle)}L)"
            wanted.append(needed)
    return fired.selectExpr("*", *flags).where(" OR ".join(wanted)).select(*fired.columns) if wanted else None


def last_end_of_periods(layout: Layout, until: int) -> int:
    """The end (ms) of the periods before which no key gets any more rows, as all later ones are after `until`.

    BEFORE_TIME if a key is of no period.
    """
    periods = [frame.period for frame in layout.operator.frames if frame.low is None]
    ends = [BEFORE_TIME if one is None else one.at_or_before(until) for one in periods]
    return min(ends, default=BEFORE_TIME)


def heads(layout: Layout, fired: DataFrame, ended: int) -> DataFrame | None:
    """The heads of rows that fire, without those before the end of their periods; None if no frame begins with the
    first row."""
    fired = fired.where(f"{SLICE} > {ended}L") if ended > BEFORE_TIME else fired
    parts = [part for n in range(len(unbounded(layout))) for part in _heads(layout, fired, n)]
    return reduce(DataFrame.unionAll, parts) if parts else None


def _heads(layout: Layout, fired: DataFrame, n: int) -> Iterator[DataFrame]:
    partition = unbounded(layout)[n]
    parts = [part for frame, part in frames_of(layout) if frame.low is None and frame.partition == partition]
    used = {name for part in parts for name in names(part.of_rows)}
    columns = [one for one in layout.accumulators.of_rows if one.name in used]
    if columns:
        # A partial of NULLs alone says nothing of its key: rows of a temporal join have no version.
        holds = " OR ".join(f"{one.name} IS NOT NULL" for one in columns)
        yield _padded(layout, aggregate(fired, partition, columns).where(holds), fired, n)
    for value in dict.fromkeys(value for part in parts for value in value_columns(layout, part)):
        distinct_values = fired.where(f"{value} IS NOT NULL").select(*partition, value).distinct()
        yield _padded(layout, distinct_values, fired, n)


def _padded(layout: Layout, partials: DataFrame, rows: DataFrame, n: int) -> DataFrame:
    """Heads with the columns of rows; other columns than their own are NULL."""
    own = {SLICE: F.lit(HEADS_END), **{name: F.col(name) for name in partials.columns}}
    columns = [
        own.get(f.name, F.lit(None).cast(f.dataType)).alias(f.name) for f in rows.select(columns_of(layout)).schema
    ]
    return partials.select(*columns, F.lit(n).alias(HEAD))


def columns_of(layout: Layout) -> list[str]:
    """The columns of a stored row."""
    return [*layout.keys, SLICE, *layout.stored, *layout.accumulators.columns]


def needed_heads(layout: Layout, known: DataFrame, new: DataFrame) -> DataFrame:
    """The known heads of the keys of new rows."""
    parts = []
    for n, partition in enumerate(unbounded(layout)):
        own = known.where(f"{HEAD} = {n}")
        keys = new.select(*partition).distinct()
        parts.append(own.alias("r").join(keys.alias("l"), same(partition), "left_semi") if partition else own)
    return reduce(DataFrame.unionAll, parts)


def merged_heads(layout: Layout, known: DataFrame) -> DataFrame:
    """One head for each key and distinct value, without the keys that get no more rows."""
    for n, partition in enumerate(unbounded(layout)):
        if any(frame.growing and frame.partition == partition for frame in layout.operator.frames):
            *others, grows = partition
            newest = f"max({grows}) OVER (PARTITION BY {', '.join([HEAD, *others])})"
            known = known.selectExpr("*", f"{newest} AS _nrt_newest").where(f"{HEAD} <> {n} OR {grows} = _nrt_newest")
            known = known.drop("_nrt_newest")
    by = [*layout.keys, SLICE, *layout.accumulators.values, HEAD]
    return aggregate(known, by, layout.accumulators.of_rows).select(*columns_of(layout), HEAD)
