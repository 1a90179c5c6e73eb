"""OVER: each row with aggregates of the rows before it. A row fires when the watermark has reached it.

`rows` of the operator's state are rows that have not fired, `closed` what those that have leave behind (`heads.py`). A
row is late if a row of its key at or behind its own time has fired, and the key was not forgotten since (`lives.py`);
with an unbounded frame, frames of several partitions, or a window above, if the watermark has passed it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import run_query, same
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows import lives
from airflow_nrt.engine.windows.carried import BEFORE_TIME, Firing
from airflow_nrt.engine.windows.heads import columns_of, heads, in_front_of, is_of_heads, kept
from airflow_nrt.engine.windows.partials import LATE, LIFE, SLICE, Layout, late_words
from airflow_nrt.engine.windows.row_frames import HEAD, IS_NEW, KEPT, over_of, results
from airflow_nrt.report.entries import OperatorState
from airflow_nrt.report.hidden import BATCH, ROWTIME, SEEN
from airflow_nrt.report.windows import Sql

_LAST = "_nrt_last"


def absorb(store: SliceStore, layout: Layout, state: OperatorState, sources: Mapping[str, DataFrame]) -> DataFrame:
    """Accepted source rows with their values lifted, the late ones marked."""
    rows = _lifted(layout, run_query(layout.operator.input, sources)).drop(BATCH, SEEN)
    partition = _partition(layout)
    if over_of(layout).forgets:
        lived = lives.with_life(store, layout, state, rows)
        return _marked(lived, lives.IS_LATE).drop(lives.IS_LATE)
    if partition is not None and state.closed:
        fired = store.read(state.closed, [*partition, SLICE])
        assert fired is not None
        last = fired.groupBy(*partition).agg(F.max(SLICE).alias(_LAST))
        rows = rows.alias("r").join(last.alias("l"), same(partition), "left").select("r.*", _LAST)
        return _marked(rows, f"coalesce({SLICE} <= {_LAST}, false)").drop(_LAST)
    watermark = state.watermark if partition is None and over_of(layout).sources else None
    return _marked(rows, f"{SLICE} <= {watermark + 1}L" if watermark is not None else "false")


def due_until(layout: Layout, state: OperatorState) -> int | None:
    """The end up to which rows can fire now, None if none can. Rows may have come for times that have fired."""
    if state.watermark is None:
        return None
    until = layout.operator.window.last_complete_end(state.watermark)
    return until if any(file.first <= until for file in state.rows) else None


def peek(store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int) -> DataFrame | None:
    """A row that has not fired is never looked at."""
    return None


def prepare_firing(store: SliceStore, layout: Layout, state: OperatorState, until: int) -> Firing:
    """Writes the rows that have not fired, and what later ones look at; gives the results of those that fire."""
    after = BEFORE_TIME if state.fired is None else state.fired
    name, columns = layout.operator.name, columns_of(layout)
    waiting = store.read(state.rows, columns)
    if waiting is None:
        return Firing(name, None, replace(state, fired=max(after, until)), after, until)
    new = waiting.where(f"{SLICE} <= {until}L")
    old_heads = tuple(file for file in state.closed if is_of_heads(file))
    known = store.read([file for file in state.closed if file not in old_heads], columns)
    some_wait = any(file.last > until for file in state.rows)
    settled, passing = waiting, None
    if over_of(layout).forgets:
        settled = lives.settled(layout, waiting if known is None else waiting.unionAll(known), until)
        passing = settled.where(f"{SLICE} <= {until}L")
    else:
        passing = kept(layout, new if known is None else new.unionAll(known), until)
    written = (settled.where(f"{SLICE} > {until}L") if some_wait else None, passing, heads(layout, new))
    left, still, passed = (None if one is None else store.write(name, one).file for one in written)
    next_state = replace(
        state,
        fired=max(after, until),
        rows=() if left is None else (left,),
        closed=tuple(file for file in (*old_heads, passed, still) if file is not None),
    )
    looked_at = new.selectExpr("*", f"CAST(NULL AS INT) AS {HEAD}", f"true AS {IS_NEW}")
    if known is not None:
        looked_at = looked_at.unionAll(known.selectExpr("*", f"{KEPT} AS {HEAD}", f"false AS {IS_NEW}"))
    before = store.read(old_heads, [*columns, HEAD])
    if before is not None:
        looked_at = looked_at.unionAll(in_front_of(layout, before, new).selectExpr("*", f"false AS {IS_NEW}"))
    return Firing(name, results(layout, looked_at), next_state, after, until)


def compute(layout: Layout, sources: Mapping[str, DataFrame], after: int, until: int) -> DataFrame:
    """The rows of the slots with `after < end <= until`, from all rows at once: the batch."""
    rows = mark_late(layout, run_query(layout.operator.input, sources))
    name = layout.operator.window.name(Sql(SLICE))
    counting = rows.where(f"{SLICE} IS NOT NULL AND {name} <= {until}L")
    return results(layout, counting.selectExpr("*", f"CAST(NULL AS INT) AS {HEAD}", f"{name} > {after}L AS {IS_NEW}"))


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query with `_nrt_late`, judged from their `_nrt_seen` and `_nrt_batch` alone."""
    lifted = _lifted(layout, rows)
    partition = _partition(layout)
    behind = f"coalesce({SLICE} <= {SEEN} + 1, false)"
    if partition is None:
        return _marked(lifted, behind)
    if over_of(layout).forgets:
        lifted, partition = lives.retold(layout, lifted), (*partition, LIFE)
    # A row has fired if the watermark has passed it, and it came in an earlier batch.
    asking = lifted.where(behind).select(*partition, SLICE, SEEN, BATCH).distinct()
    others = lifted.select(*partition, SLICE, BATCH).distinct()
    earlier = (
        F.expr(f"r.{BATCH} > l.{BATCH}") & F.expr(f"l.{SLICE} >= r.{SLICE}") & F.expr(f"l.{SLICE} <= r.{SEEN} + 1")
    )
    late = asking.alias("r").join(others.alias("l"), [*same(partition), earlier], "left_semi")
    found = late.selectExpr(*partition, SLICE, BATCH, f"true AS {_LAST}")
    told = lifted.alias("r").join(F.broadcast(found.alias("l")), same([*partition, SLICE, BATCH]), "left")
    return _marked(told.select("r.*", _LAST), f"coalesce({_LAST}, false)").drop(_LAST)


def _partition(layout: Layout) -> tuple[str, ...] | None:
    """The keys by which rows that have fired make others late; None if the watermark does."""
    operator = over_of(layout)
    return None if operator.strict else operator.partition


def _lifted(layout: Layout, rows: DataFrame) -> DataFrame:
    values = [f"{sql} AS {name}" for name, sql in layout.values]
    placed = rows.withColumn(SLICE, F.col(ROWTIME) + 1)
    late = f"IF({ROWTIME} <= {SEEN}, {late_words(SLICE, SLICE, 'true')}, NULL) AS {LATE}"
    return placed.selectExpr(*layout.keys, SLICE, SEEN, BATCH, *values, *(one.lifted for one in layout.rows), late)


def _marked(rows: DataFrame, is_late: str) -> DataFrame:
    """Late rows fire nowhere; what the ledger says stays with them alone."""
    others = [name for name in rows.columns if name not in (SLICE, LATE)]
    return rows.selectExpr(
        *others, f"IF({is_late}, NULL, {SLICE}) AS {SLICE}", f"IF({is_late}, {LATE}, NULL) AS {LATE}"
    )
