"""SESSION between micro-batches: rows are stored as units, and a firing merges the units of each session.

`rows` of the operator's state are units as they were absorbed. `closed` is the file of the last firing: one unit for
each key and session, also for the sessions that fired then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import LATE, SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows import cumulate
from airflow_nrt.engine.windows.arrival_numbers import input_rows
from airflow_nrt.engine.windows.lateness import late_words
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.partials import combine
from airflow_nrt.engine.windows.session_merging import IS_LATE, assigned
from airflow_nrt.engine.windows.slice_merge import close
from airflow_nrt.engine.windows.window_operator import finish
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.internal_columns import BATCH, SEEN, WINDOW_START
from airflow_nrt.model.windows import Sql


def absorb(store: SliceStore, layout: Layout, state: OperatorState, sources: Mapping[str, DataFrame]) -> DataFrame:
    """Accepted source rows to units, with late ones marked: those that are not part of an open session."""
    units = _units(layout, input_rows(layout, sources))
    if state.watermark is not None and layout.operator.sources:
        units = _judged(layout, units, _stored(store, layout, state), state.watermark)
    units = units.drop(BATCH)
    return units if layout.accumulators.sets else combine(layout, units, (LATE,))


def prepare_firing(store: SliceStore, layout: Layout, state: OperatorState, until: int) -> Firing:
    """Writes one unit for each key and session, and gives the results of sessions that end up to `until`."""
    after = state.fired_until
    units = _stored(store, layout, state)
    file = None
    if units is not None:
        merged = assigned(units.withColumn(BATCH, F.lit(None).cast("bigint")), layout.operator.partition)
        file = store.write(layout.operator.name, combine(layout, merged)).file
    written = (file,) if file is not None else ()
    sessions = store.read(written, _columns(layout))
    ending = f"{SLICE} > {after}L AND {SLICE} <= {until}L"
    results = None if sessions is None else _results(layout, sessions.where(ending), store.tasks)
    closed = Partials(written).open_after(until).files
    return Firing(layout.operator.name, results, replace(state, fired=until, rows=(), closed=closed), after, until)


def peek(store: SliceStore, layout: Layout, state: OperatorState, after: int, until: int) -> DataFrame | None:
    """The current results of sessions with `after < end <= until`, without firing them."""
    units = _stored(store, layout, state)
    if units is None:
        return None
    sessions = assigned(units.withColumn(BATCH, F.lit(None).cast("bigint")), layout.operator.partition)
    ending = combine(layout, sessions).where(f"{SLICE} > {after}L AND {SLICE} <= {until}L")
    return _results(layout, ending, store.tasks)


def compute(layout: Layout, sources: Mapping[str, DataFrame], after: int, until: int, tasks: Tasks) -> DataFrame:
    """In batch: all sessions of the slots with `after < end <= until` from all their rows at once."""
    units = assigned(_units(layout, input_rows(layout, sources)), layout.operator.partition)
    name = layout.operator.window.name(Sql(SLICE))
    return _results(layout, units.where(f"NOT {IS_LATE} AND {name} > {after}L AND {name} <= {until}L"), tasks)


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query with `_nrt_late`, by their `_nrt_seen` and `_nrt_batch` alone."""
    return _marked(assigned(_units(layout, rows), layout.operator.partition))


def _columns(layout: Layout) -> list[str]:
    return [*layout.keys, SLICE, *layout.stored, *layout.accumulators.columns]


def _stored(store: SliceStore, layout: Layout, state: OperatorState) -> DataFrame | None:
    """The units of all sessions that have not fired."""
    fired = state.fired_until
    rows = store.read(state.rows, _columns(layout))
    closed = store.read(Partials(state.closed).open_after(fired).files, _columns(layout))
    parts = [
        *([rows.where(f"{SLICE} IS NOT NULL")] if rows is not None else []),
        *([closed.where(f"{SLICE} > {fired}L")] if closed is not None else []),
    ]
    return reduce(DataFrame.unionAll, parts) if parts else None


def _results(layout: Layout, sessions: DataFrame, tasks: Tasks) -> DataFrame:
    merged = cumulate.whole(layout, close(layout, sessions, None, tasks))
    return finish(layout.operator, layout.accumulators, merged)


def _units(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the input query as units. Each has the text for the ledger, in case it is late."""
    end = f"(_nrt_ts + {layout.operator.window.longest}L)"
    # Aggregates by order of arrival must not order by slices first: a session has none.
    placed = rows.withColumns({WINDOW_START: F.col("_nrt_ts"), SLICE: F.lit(0).cast("bigint")})
    late = f"IF({end} - 1 <= {SEEN}, {late_words(end, end, 'true')}, NULL) AS {LATE}"
    return placed.selectExpr(*layout.keys, f"{end} AS {SLICE}", SEEN, BATCH, *layout.accumulators.lifted, late)


def _judged(layout: Layout, units: DataFrame, standing: DataFrame | None, watermark: int) -> DataFrame:
    """The units, with late ones marked. Of the stored units only those that begin before the watermark matter."""
    every = units.selectExpr("*", "true AS _nrt_is_new").withColumn(BATCH, F.lit(1).cast("bigint"))
    if standing is not None:
        older = standing.where(f"{WINDOW_START} <= {watermark + 1}L").withColumn("_nrt_is_new", F.lit(False))
        every = every.unionByName(older, allowMissingColumns=True)
    return _marked(assigned(every, layout.operator.partition)).where("_nrt_is_new").drop("_nrt_is_new")


def _marked(judged: DataFrame) -> DataFrame:
    """The units, late ones without a session. Only late units keep the text for the ledger."""
    others = [name for name in judged.columns if name not in (SLICE, LATE, IS_LATE)]
    slots = (f"IF({IS_LATE}, NULL, {SLICE}) AS {SLICE}", f"IF({IS_LATE}, {LATE}, NULL) AS {LATE}")
    return judged.selectExpr(*others, *slots)
