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

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import same
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.carried import BEFORE_TIME
from airflow_nrt.engine.windows.partials import LIFE, SLICE, STAYS, Layout
from airflow_nrt.engine.windows.row_frames import PLACE, over_of
from airflow_nrt.report.entries import OperatorState
from airflow_nrt.report.hidden import BATCH, SEEN
from airflow_nrt.report.instants import END_OF_TIME

IS_LATE = "_nrt_is_late"
_FIRED, _TOP, _LAST, _LIVES = "_nrt_fired", "_nrt_top", "_nrt_last", "_nrt_lives"


def with_life(store: SliceStore, layout: Layout, state: OperatorState, rows: DataFrame) -> DataFrame:
    """Rows of a batch with their `_nrt_life`, how long their key `_nrt_stays`, and whether a row of that life, at or
    behind theirs, has fired."""
    partition = over_of(layout).partition
    began = BEFORE_TIME if state.watermark is None else state.watermark
    wanted = [*partition, SLICE, LIFE, STAYS]
    known = [
        frame.selectExpr(*wanted, f"{fired} AS {_FIRED}")
        for files, fired in ((state.closed, "true"), (state.rows, "false"))
        if (frame := store.read(files, wanted)) is not None
    ]
    if known:
        standing = known[0] if len(known) == 1 else known[0].unionAll(known[1])
        of_key = (
            standing.where(f"{SLICE} IS NOT NULL")
            .groupBy(*partition)
            .agg(
                F.expr(f"max(struct({LIFE}, {STAYS})) AS {_TOP}"),
                F.expr(f"max(struct({LIFE}, {SLICE})) FILTER (WHERE {_FIRED}) AS {_LAST}"),
            )
        )
        rows = rows.alias("r").join(of_key.alias("l"), same(partition), "left").select("r.*", _TOP, _LAST)
        rows = rows.selectExpr("*", f"{_TOP}.{STAYS} > {began}L OR {_TOP}.{LIFE} = {began}L AS _nrt_alive")
        late = f"coalesce(_nrt_alive AND {_LAST}.{LIFE} = {_TOP}.{LIFE} AND {SLICE} <= {_LAST}.{SLICE}, false)"
        life, stays = f"IF(_nrt_alive, {_TOP}.{LIFE}, {began}L)", f"IF(_nrt_alive, {_TOP}.{STAYS}, NULL)"
    else:
        late, life, stays = "false", f"{began}L", "CAST(NULL AS BIGINT)"
    judged = rows.selectExpr("*", f"{life} AS {LIFE}", f"{stays} AS _nrt_stayed", f"{late} AS {IS_LATE}")
    arrived = f"array_sort(collect_list(struct({', '.join(PLACE)}, {SLICE} AS at)) OVER ({_by(partition)}))"
    stays = f"aggregate({arrived}, _nrt_stayed, (stays, row) -> {_stays(layout, 'stays', 'row.at')}) AS {STAYS}"
    return judged.selectExpr("*", stays).drop("_nrt_stayed", "_nrt_alive", _TOP, _LAST)


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
    frame = max(frame.low or 0 for frame in over_of(layout).frames)
    return f"IF(coalesce({stays} >= {at} + {frame}L, false), {stays}, {at} + {frame * 3 // 2}L)"


def kept(layout: Layout, rows: DataFrame, until: int) -> DataFrame:
    """Of all rows that stand, those that have fired and that later ones look at, the last of each life among them."""
    partition = over_of(layout).partition
    length = max(frame.low or 0 for frame in over_of(layout).frames)
    fired = f"IF({SLICE} <= {until}L, {SLICE}, NULL)"
    flagged = rows.selectExpr(
        "*",
        f"max(struct({LIFE}, {STAYS})) OVER ({_by(partition)}) AS {_TOP}",
        f"max({fired}) OVER ({_by((*partition, LIFE))}) AS {_LAST}",
    )
    wanted = (
        f"{SLICE} <= {until}L AND {SLICE} >= {_LAST} - {length}L",
        f"{LIFE} = {_TOP}.{LIFE} AND ({_TOP}.{STAYS} >= {until}L OR {LIFE} = {until - 1}L)",
    )
    return flagged.where(" AND ".join(wanted)).select(*rows.columns)


def _by(keys: tuple[str, ...]) -> str:
    return f"PARTITION BY {', '.join(keys)}" if keys else ""
