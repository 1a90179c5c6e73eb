"""OVER: each row with aggregates of its frames. A row fires when the watermark has reached the row and the end of its
frames; that time names its slice. A row that waits for a number of rows fires with the slice of the last of them, or
when its input has ended.

`rows` of the operator's state are rows that have not fired. `closed` is what later rows need of those that have
(`prefix_accumulators.py`). A row is late if a row of its key at its own time or after has fired, and the key was not
forgotten since (`key_expiry.py`). A row is late by the watermark alone if a frame is unbounded or ends after its row,
if there are frames of several partitions, or if a window reads the result.

A late row never fires, but for a late version of a temporal join: it is the version of its key for the rows that have
not fired. So it counts from the first slice on that has not, and keeps its time among the versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.query_frames import run_query, same
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import GENERATION, LATE, SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.lateness import late_words
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.over import key_expiry
from airflow_nrt.engine.windows.over.prefix_accumulators import (
    columns_of,
    heads,
    kept,
    last_end_of_periods,
    needed_heads,
)
from airflow_nrt.engine.windows.over.row_frames import FIRES, HEAD, IS_NEW, KEPT, fires, results
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.position.state_kinds import FiredRows, Partials
from airflow_nrt.model.internal_columns import BATCH, ROWTIME, SEEN
from airflow_nrt.model.windows import Sql

_LAST = "_nrt_last"


def absorb(store: SliceStore, layout: Layout, state: OperatorState, sources: Mapping[str, DataFrame]) -> DataFrame:
    """Accepted source rows as stored rows, with late ones marked."""
    rows = _lifted(layout, run_query(layout.operator.input, sources)).drop(BATCH, SEEN)
    partition = _partition(layout)
    if layout.operator.forgets:
        judged = key_expiry.with_generation(store, layout, state, rows)
        return _marked(judged, key_expiry.IS_LATE).drop(key_expiry.IS_LATE)
    if partition is not None and state.closed:
        fired = store.read(state.closed, [*partition, SLICE])
        assert fired is not None
        last = fired.groupBy(*partition).agg(F.max(SLICE).alias(_LAST))
        rows = rows.alias("r").join(last.alias("l"), same(partition), "left").select("r.*", _LAST)
        return _marked(rows, f"coalesce({SLICE} <= {_LAST}, false)").drop(_LAST)
    watermark = state.watermark if partition is None and layout.operator.sources else None
    if watermark is None:
        return _marked(rows, "false")
    passed = f"{watermark + 1 + layout.operator.following}L"
    return _marked(rows, f"{SLICE} <= {passed}", _late_slice(layout, passed))


def peek(store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int) -> DataFrame | None:
    """None: OVER has no early results."""
    return None


def prepare_firing(store: SliceStore, layout: Layout, state: OperatorState, until: int) -> Firing:
    """Writes the rows that have not fired, and what later rows need; gives the results of rows that fire."""
    after, fired = state.fired_until, FiredRows.of(state.closed)
    name, columns = layout.operator.name, columns_of(layout)
    known = store.read(fired.rows, columns)
    waiting = store.read(state.rows, columns)
    if waiting is None and known is not None and layout.operator.followers:
        waiting = known.where("false")
    ended = last_end_of_periods(layout, until)
    # They are of rows before `after`.
    standing = fired.heads if after > ended else ()
    if waiting is None:
        next_state = replace(state, fired=max(after, until), closed=(*standing, *fired.rows))
        return Firing(name, None, next_state, after, until)
    in_frames = _in_frames(layout, waiting, known, after, until)
    reached = waiting.where(f"{SLICE} <= {until}L")
    new = in_frames.where(IS_NEW) if layout.operator.followers else reached
    some_wait = bool(Partials(state.rows).open_after(until).files)
    settled, passing = waiting, None
    if layout.operator.forgets:
        settled = key_expiry.kept_rows(layout, waiting if known is None else waiting.unionAll(known), until)
        passing = settled.where(f"{SLICE} <= {until}L")
    else:
        passing = kept(layout, reached if known is None else reached.unionAll(known), until)
    written = (settled.where(f"{SLICE} > {until}L") if some_wait else None, passing, heads(layout, new, ended))
    left, still, passed = (None if one is None else store.write(name, one).file for one in written)
    next_state = replace(
        state,
        fired=max(after, until),
        rows=() if left is None else (left,),
        closed=tuple(file for file in (*standing, passed, still) if file is not None),
    )
    before = store.read(fired.heads, [*columns, HEAD])
    if before is not None:
        needed = needed_heads(layout, before, new)
        in_frames = in_frames.unionAll(needed.selectExpr("*", f"{SLICE} AS {FIRES}", f"false AS {IS_NEW}"))
    return Firing(name, results(layout, in_frames), next_state, after, until)


def _in_frames(layout: Layout, waiting: DataFrame, known: DataFrame | None, after: int, until: int) -> DataFrame:
    """The rows in the frames of those that fire. Some of the `known` rows may have waited, and fire now."""
    columns = waiting.columns
    in_frames = waiting.where(f"{SLICE} <= {until + layout.operator.following}L")
    rows = in_frames.selectExpr("*", f"CAST(NULL AS INT) AS {HEAD}")
    if known is not None:
        rows = rows.unionAll(known.selectExpr("*", f"{KEPT} AS {HEAD}"))
    at = fires(layout)
    head = f"IF({at} > {after}L, NULL, {HEAD}) AS {HEAD}"
    is_new = f"{at} <= {until}L AND ({HEAD} IS NULL OR {at} > {after}L) AS {IS_NEW}"
    return rows.selectExpr(*columns, head, f"{at} AS {FIRES}", is_new)


def compute(layout: Layout, sources: Mapping[str, DataFrame], after: int, until: int, tasks: Tasks) -> DataFrame:
    """In batch: the rows of the slots with `after < end <= until`, from all rows at once."""
    rows = mark_late(layout, run_query(layout.operator.input, sources))
    counting = rows.where(f"{SLICE} <= {until + layout.operator.following}L")
    at = fires(layout)
    name = layout.operator.window.name(Sql(at))
    is_new = f"{name} > {after}L AND {name} <= {until}L AS {IS_NEW}"
    return results(layout, counting.selectExpr("*", f"CAST(NULL AS INT) AS {HEAD}", f"{at} AS {FIRES}", is_new))


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query with `_nrt_late`, by their `_nrt_seen` and `_nrt_batch` alone."""
    lifted = _lifted(layout, rows)
    partition = _partition(layout)
    last = f"{SEEN} + {1 + layout.operator.following}L"
    passed = f"coalesce({SLICE} <= {last}, false)"
    if partition is None:
        return _marked(lifted, passed, _late_slice(layout, last))
    if layout.operator.forgets:
        lifted, partition = key_expiry.with_generations(layout, lifted), (*partition, GENERATION)
    # A row has fired if the watermark has passed it, and it arrived in an earlier batch.
    suspects = lifted.where(passed).select(*partition, SLICE, SEEN, BATCH).distinct()
    others = lifted.select(*partition, SLICE, BATCH).distinct()
    earlier = (
        F.expr(f"r.{BATCH} > l.{BATCH}") & F.expr(f"l.{SLICE} >= r.{SLICE}") & F.expr(f"l.{SLICE} <= r.{SEEN} + 1")
    )
    late = suspects.alias("r").join(others.alias("l"), [*same(partition), earlier], "left_semi")
    found = late.selectExpr(*partition, SLICE, BATCH, f"true AS {_LAST}")
    judged = lifted.alias("r").join(F.broadcast(found.alias("l")), same([*partition, SLICE, BATCH]), "left")
    return _marked(judged.select("r.*", _LAST), f"coalesce({_LAST}, false)").drop(_LAST)


def _partition(layout: Layout) -> tuple[str, ...] | None:
    """The keys within which a row that has fired makes others late; None if the watermark decides."""
    operator = layout.operator
    return None if operator.strict else operator.partition


def _lifted(layout: Layout, rows: DataFrame) -> DataFrame:
    placed = rows.withColumn(SLICE, F.col(ROWTIME) + 1 + layout.operator.following)
    is_dropped = " AND ".join(f"{call.argument} IS NULL" for call in layout.operator.versions) or "true"
    missed = f"IF({is_dropped}, {SLICE}, {SEEN} + 1L)"
    late = f"IF({ROWTIME} <= {SEEN}, {late_words(SLICE, missed, is_dropped)}, NULL) AS {LATE}"
    return placed.selectExpr(*layout.keys, SLICE, SEEN, BATCH, *layout.accumulators.lifted, late)


def _late_slice(layout: Layout, passed: str) -> str:
    """SQL of the slice of a late row, if slices up to `passed` have fired: NULL, or of a version the next one.

    >>> from types import SimpleNamespace as Made
    >>> joins = Made(operator=Made(versions=["v0"]), accumulators=Made(of_rows=[Made(name="maxpos_v0")]))
    >>> print(_late_slice(joins, "60000L"))
    IF(maxpos_v0 IS NULL, NULL, 60000L + 1L)
    """
    if not layout.operator.versions:
        return "NULL"
    is_dropped = " AND ".join(f"{one.name} IS NULL" for one in layout.accumulators.of_rows)
    return f"IF({is_dropped}, NULL, {passed} + 1L)"


def _marked(rows: DataFrame, is_late: str, late_slice: str = "NULL") -> DataFrame:
    """The rows, late ones without a slice, so that they never fire. Only late rows keep the text for the ledger."""
    others = [name for name in rows.columns if name not in (SLICE, LATE)]
    return rows.selectExpr(
        *others, f"IF({is_late}, {late_slice}, {SLICE}) AS {SLICE}", f"IF({is_late}, {LATE}, NULL) AS {LATE}"
    )
