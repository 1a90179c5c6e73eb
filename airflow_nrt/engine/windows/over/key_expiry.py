"""Expiry of the keys of OVER, where frames are intervals: an idle key is forgotten, and later begins a new generation.

    rows of a key   r  r r    r                        R   R R
    watermark       ───────────────────|──────────────────────
                    first generation   forgotten       second generation

As in Flink, each row prolongs its key: if less than one frame is left after the row, until one and a half frames after
it. An expired key is forgotten when the next batch begins. Only rows of one generation see each other. So no row is
late for a generation that has expired: it counts, apart from rows that have arrived since. Rows in time lose nothing,
because no frame of theirs reaches back into an older generation.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import BEFORE_TIME, END_OF_TIME
from airflow_nrt.engine.spark.query_frames import same
from airflow_nrt.engine.state.state_columns import EXPIRES, GENERATION, SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.over.row_frames import PLACE
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.model.internal_columns import BATCH, SEEN

IS_LATE = "_nrt_is_late"
_NEWEST, _UNTIL, _LAST, _GENERATIONS = "_nrt_now", "_nrt_until", "_nrt_last", "_nrt_lives"


def with_generation(store: SliceStore, layout: Layout, state: OperatorState, rows: DataFrame) -> DataFrame:
    """Rows of a batch with their generation (`_nrt_life`), and whether a row of that, at or after theirs, has fired.

    The expiry of their key (`_nrt_stays`) is left open. It is computed when they are read again, once for each key.
    """
    partition = layout.operator.partition
    began = BEFORE_TIME if state.watermark is None else state.watermark
    wanted = [*partition, "p", SLICE, GENERATION, EXPIRES]
    known = [
        frame.selectExpr(*wanted, f"{fired} AS _nrt_fired")
        for files, fired in ((state.closed, "true"), (state.rows, "false"))
        if (frame := store.read(files, wanted)) is not None
    ]
    generation, late = f"{began}L", "false"
    if known:
        of_key = _of_keys(layout, reduce(DataFrame.unionAll, known), "_nrt_fired")
        rows = rows.alias("r").join(of_key.alias("l"), same(partition), "left").select("r.*", _NEWEST, _UNTIL, _LAST)
        alive = f"({_UNTIL} > {began}L OR {_NEWEST} = {began}L)"
        generation = f"IF({alive}, {_NEWEST}, {began}L)"
        late = f"coalesce({alive} AND {SLICE} <= {_LAST}, false)"
    placed = rows.selectExpr(
        "*", f"{generation} AS {GENERATION}", f"CAST(NULL AS BIGINT) AS {EXPIRES}", f"{late} AS {IS_LATE}"
    )
    return placed.drop(_NEWEST, _UNTIL, _LAST)


def kept_rows(layout: Layout, rows: DataFrame, until: int) -> DataFrame:
    """The rows that remain when those up to `until` fire: rows that wait, and rows in the frames of later ones.

    They include the last row of each generation that goes on, and no row of an expired one.
    """
    partition = layout.operator.partition
    of_key = _of_keys(layout, rows, f"{SLICE} <= {until}L")
    known = rows.alias("r").join(of_key.alias("l"), same(partition)).select("r.*", _NEWEST, _UNTIL, _LAST)
    goes_on = f"{GENERATION} = {_NEWEST} AND ({_UNTIL} >= {until}L OR {GENERATION} = {until - 1}L)"
    left = known.where(f"{SLICE} > {until}L OR ({goes_on} AND {SLICE} >= {_LAST} - {_longest(layout)}L)")
    expires = f"IF({GENERATION} = {_NEWEST}, {_UNTIL}, {EXPIRES}) AS {EXPIRES}"
    return left.selectExpr(*(expires if name == EXPIRES else name for name in rows.columns))


def _of_keys(layout: Layout, rows: DataFrame, fired: str) -> DataFrame:
    """By key its newest generation, the watermark at which that expires, and the last row of it that has fired."""
    partition = layout.operator.partition
    came = f"struct({', '.join(PLACE)}, {SLICE} AS at, {GENERATION} AS generation)"
    grouped = (
        rows.where(f"{SLICE} IS NOT NULL")
        .groupBy(*partition)
        .agg(
            F.expr(f"max(struct({GENERATION} AS generation, {EXPIRES} AS expires)) AS newest"),
            F.expr(f"max(struct({GENERATION} AS generation, {SLICE} AS at)) FILTER (WHERE {fired}) AS last"),
            F.expr(f"array_sort(collect_list({came}) FILTER (WHERE {EXPIRES} IS NULL)) AS came"),
        )
    )
    own = "filter(came, row -> row.generation = newest.generation)"
    until = f"aggregate({own}, newest.expires, (expires, row) -> {_expires(layout, 'expires', 'row.at')})"
    last = "IF(last.generation = newest.generation, last.at, NULL)"
    return grouped.selectExpr(
        *partition, f"newest.generation AS {_NEWEST}", f"{until} AS {_UNTIL}", f"{last} AS {_LAST}"
    )


def with_generations(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of any number of batches with their generation (`_nrt_life`), from their `_nrt_seen` and arrival."""
    partition = layout.operator.partition
    # Rows that only a backfill has read had no watermark: they join the generations of the other rows.
    read = rows.where(f"{SEEN} < {END_OF_TIME}").select(*partition).distinct()
    rows_read = rows.where(f"coalesce({SEEN}, 0L) < {END_OF_TIME}").alias("r")
    row = f"struct({BATCH}, {', '.join(PLACE)}, coalesce({SEEN}, {BEFORE_TIME}L) AS began, {SLICE} AS at)"
    arrived = (
        rows_read.join(read.alias("l"), same(partition), "left_semi")
        .groupBy(*partition)
        .agg(F.expr(f"array_sort(collect_list({row})) AS _nrt_arrived"))
    )
    has_expired = "s.expires <= row.began AND element_at(s.generations, -1) <> row.began"
    begins = f"size(s.generations) = 0 OR {has_expired}"
    expires = _expires(layout, f"IF({begins}, NULL, s.expires)", "row.at")
    generations = f"IF({begins}, array_append(s.generations, row.began), s.generations)"
    nothing = "struct(CAST(array() AS ARRAY<BIGINT>) AS generations, CAST(NULL AS BIGINT) AS expires)"
    folded = (
        f"aggregate(_nrt_arrived, {nothing}, "
        f"(s, row) -> struct({generations} AS generations, {expires} AS expires), s -> s.generations) AS {_GENERATIONS}"
    )
    found = rows.alias("r").join(arrived.selectExpr(*partition, folded).alias("l"), same(partition), "left")
    own = f"array_max(filter({_GENERATIONS}, g -> g <= coalesce({SEEN}, {BEFORE_TIME}L)))"
    own = f"coalesce({own}, {BEFORE_TIME}L) AS {GENERATION}"
    return found.select("r.*", _GENERATIONS).selectExpr("*", own).drop(_GENERATIONS)


def _expires(layout: Layout, expires: str, at: str) -> str:
    """SQL of the watermark at which a key expires, after a row of the slice `at`; `expires` is that before the row.

    Flink: `RowTimeRangeBoundedPreceding`.

    >>> from types import SimpleNamespace
    >>> last_hour = SimpleNamespace(frames=[SimpleNamespace(low=3600000)])
    >>> print(_expires(SimpleNamespace(operator=last_hour), "expires", "at"))
    IF(coalesce(expires >= at + 3600000L, false), expires, at + 5400000L)
    """
    frame = _longest(layout)
    return f"IF(coalesce({expires} >= {at} + {frame}L, false), {expires}, {at} + {frame * 3 // 2}L)"


def _longest(layout: Layout) -> int:
    return max(frame.low or 0 for frame in layout.operator.frames)
