"""Lives of the keys of OVER, where frames are intervals: a key that is idle is forgotten, and then begins a new life.

    rows of a key   r  r r    r                        R   R R
    watermark       ───────────────────|──────────────────────
                    first life         forgotten       second life

Each row makes its key stay, as in Flink: if less than one frame is left behind the row, until one and a half frames
behind it. A key whose time has come is forgotten where the next batch begins. Rows of one life see each other alone. So
a row is never late for a life that is over: it counts, beside what came since. Of rows in time nothing is lacking, for
no frame of theirs reaches back into an older life.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.spark.frames import same
from airflow_nrt.engine.state.columns import LIFE, SLICE, STAYS
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.over.row_frames import PLACE, over_of
from airflow_nrt.engine.windows.partials import Layout
from airflow_nrt.engine.windows.window_state import BEFORE_TIME
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.model.internal_columns import BATCH, SEEN

IS_LATE = "_nrt_is_late"
_NOW, _UNTIL, _LAST, _LIVES = "_nrt_now", "_nrt_until", "_nrt_last", "_nrt_lives"


def with_life(store: SliceStore, layout: Layout, state: OperatorState, rows: DataFrame) -> DataFrame:
    """Rows of a batch with their `_nrt_life`, and whether a row of that life, at or behind theirs, has fired.

    How long their key `_nrt_stays` is left open: they are folded in when they are read again, once for each key.
    """
    partition = over_of(layout).partition
    began = BEFORE_TIME if state.watermark is None else state.watermark
    wanted = [*partition, "p", SLICE, LIFE, STAYS]
    known = [
        frame.selectExpr(*wanted, f"{fired} AS _nrt_fired")
        for files, fired in ((state.closed, "true"), (state.rows, "false"))
        if (frame := store.read(files, wanted)) is not None
    ]
    life, late = f"{began}L", "false"
    if known:
        of_key = _of_keys(layout, reduce(DataFrame.unionAll, known), "_nrt_fired")
        rows = rows.alias("r").join(of_key.alias("l"), same(partition), "left").select("r.*", _NOW, _UNTIL, _LAST)
        alive = f"({_UNTIL} > {began}L OR {_NOW} = {began}L)"
        life, late = f"IF({alive}, {_NOW}, {began}L)", f"coalesce({alive} AND {SLICE} <= {_LAST}, false)"
    told = rows.selectExpr("*", f"{life} AS {LIFE}", f"CAST(NULL AS BIGINT) AS {STAYS}", f"{late} AS {IS_LATE}")
    return told.drop(_NOW, _UNTIL, _LAST)


def settled(layout: Layout, rows: DataFrame, until: int) -> DataFrame:
    """Of all rows that stand when those up to `until` fire: those that wait, and those that later rows look at.

    Of a life that goes on its last row is among them; of one that is over there is nothing.
    """
    partition = over_of(layout).partition
    of_key = _of_keys(layout, rows, f"{SLICE} <= {until}L")
    told = rows.alias("r").join(of_key.alias("l"), same(partition)).select("r.*", _NOW, _UNTIL, _LAST)
    goes_on = f"{LIFE} = {_NOW} AND ({_UNTIL} >= {until}L OR {LIFE} = {until - 1}L)"
    left = told.where(f"{SLICE} > {until}L OR ({goes_on} AND {SLICE} >= {_LAST} - {_longest(layout)}L)")
    stays = f"IF({LIFE} = {_NOW}, {_UNTIL}, {STAYS}) AS {STAYS}"
    return left.selectExpr(*(stays if name == STAYS else name for name in rows.columns))


def _of_keys(layout: Layout, rows: DataFrame, fired: str) -> DataFrame:
    """Of each key its newest life, the watermark at which that is over, and the last row of it that has fired."""
    partition = over_of(layout).partition
    came = f"struct({', '.join(PLACE)}, {SLICE} AS at, {LIFE} AS life)"
    grouped = (
        rows.where(f"{SLICE} IS NOT NULL")
        .groupBy(*partition)
        .agg(
            F.expr(f"max(struct({LIFE} AS life, {STAYS} AS stays)) AS newest"),
            F.expr(f"max(struct({LIFE} AS life, {SLICE} AS at)) FILTER (WHERE {fired}) AS last"),
            F.expr(f"array_sort(collect_list({came}) FILTER (WHERE {STAYS} IS NULL)) AS came"),
        )
    )
    own = "filter(came, row -> row.life = newest.life)"
    until = f"aggregate({own}, newest.stays, (stays, row) -> {_stays(layout, 'stays', 'row.at')})"
    last = "IF(last.life = newest.life, last.at, NULL)"
    return grouped.selectExpr(*partition, f"newest.life AS {_NOW}", f"{until} AS {_UNTIL}", f"{last} AS {_LAST}")


def retold(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of any number of batches with their `_nrt_life`, told from their `_nrt_seen` and arrival."""
    partition = over_of(layout).partition
    # What only a backfill has read has met no watermark: it lives with what is there.
    met = rows.where(f"{SEEN} < {END_OF_TIME}").select(*partition).distinct()
    rows_met = rows.where(f"coalesce({SEEN}, 0L) < {END_OF_TIME}").alias("r")
    row = f"struct({BATCH}, {', '.join(PLACE)}, coalesce({SEEN}, {BEFORE_TIME}L) AS began, {SLICE} AS at)"
    arrived = (
        rows_met.join(met.alias("l"), same(partition), "left_semi")
        .groupBy(*partition)
        .agg(F.expr(f"array_sort(collect_list({row})) AS _nrt_arrived"))
    )
    is_over = "told.stays <= row.began AND element_at(told.lives, -1) <> row.began"
    begins = f"size(told.lives) = 0 OR {is_over}"
    stays = _stays(layout, f"IF({begins}, NULL, told.stays)", "row.at")
    lives = f"IF({begins}, array_append(told.lives, row.began), told.lives)"
    told = (
        "aggregate(_nrt_arrived, struct(CAST(array() AS ARRAY<BIGINT>) AS lives, CAST(NULL AS BIGINT) AS stays), "
        f"(told, row) -> struct({lives} AS lives, {stays} AS stays), told -> told.lives) AS {_LIVES}"
    )
    found = rows.alias("r").join(arrived.selectExpr(*partition, told).alias("l"), same(partition), "left")
    own = f"array_max(filter({_LIVES}, life -> life <= coalesce({SEEN}, {BEFORE_TIME}L)))"
    return found.select("r.*", _LIVES).selectExpr("*", f"coalesce({own}, {BEFORE_TIME}L) AS {LIFE}").drop(_LIVES)


def _stays(layout: Layout, stays: str, at: str) -> str:
    """The watermark at which a key is forgotten, behind a row of this slice. Flink: `RowTimeRangeBoundedPreceding`."""
    frame = _longest(layout)
    return f"IF(coalesce({stays} >= {at} + {frame}L, false), {stays}, {at} + {frame * 3 // 2}L)"


def _longest(layout: Layout) -> int:
    return max(frame.low or 0 for frame in over_of(layout).frames)
