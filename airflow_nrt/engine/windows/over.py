"""OVER: each row with aggregates of the rows before it. A row fires when the watermark has reached it.

`rows` of the operator's state are rows that have not fired, `closed` those that have and that rows to come still look
at. A row is late if a row of its key at or behind its own time has fired; with an unbounded frame, frames of several
partitions, or a window above, if the watermark has passed it (as in Flink, but that it forgets keys that were idle).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.frames import run_query
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.aggregate import place
from airflow_nrt.engine.windows.carried import BEFORE_TIME, Firing
from airflow_nrt.engine.windows.partials import LATE, SLICE, Layout, late_words, layout_of
from airflow_nrt.report.entries import OperatorState, StateFile
from airflow_nrt.report.plan import BATCH, ROWTIME, SEEN, WINDOW_END, RowFrame, WindowAggregate
from airflow_nrt.report.windows import Sql

_IS_NEW, _LAST = "_nrt_is_new", "_nrt_last"


def absorb(store: SliceStore, layout: Layout, state: OperatorState, sources: Mapping[str, DataFrame]) -> DataFrame:
    """Accepted source rows with their values lifted, the late ones marked."""
    rows = _lifted(layout, run_query(layout.operator.input, sources)).drop(BATCH, SEEN)
    partition = _partition(layout)
    if partition is not None and state.closed:
        fired = store.read(state.closed, [*partition, SLICE])
        assert fired is not None
        last = fired.groupBy(*partition).agg(F.max(SLICE).alias(_LAST))
        rows = rows.alias("r").join(last.alias("l"), _same(partition), "left").select("r.*", _LAST)
        return _marked(rows, f"coalesce({SLICE} <= {_LAST}, false)").drop(_LAST)
    watermark = state.watermark if partition is None and _operator(layout).sources else None
    return _marked(rows, f"{SLICE} <= {watermark + 1}L" if watermark is not None else "false")


def due_until(layout: Layout, state: OperatorState) -> int | None:
    """The end up to which rows can fire now, None if none can. Rows may have come for times that have fired."""
    if state.watermark is None:
        return None
    until = layout.operator.window.last_complete_end(state.watermark)
    return until if any(file.first <= until for file in state.rows) else None


def prepare_firing(store: SliceStore, layout: Layout, state: OperatorState, until: int) -> Firing:
    """Writes the rows that have not fired, and those that later ones look at; gives the results of those that fire."""
    after = BEFORE_TIME if state.fired is None else state.fired
    waiting = store.read(state.rows, _columns(layout))
    known = store.read(state.closed, _columns(layout))
    parts = [
        *([waiting.selectExpr("*", f"true AS {_IS_NEW}").where(f"{SLICE} <= {until}L")] if waiting is not None else []),
        *([known.selectExpr("*", f"false AS {_IS_NEW}")] if known is not None else []),
    ]
    fired = reduce(DataFrame.unionAll, parts) if parts else None
    name = layout.operator.name
    left: tuple[StateFile | None, ...] = ()
    if waiting is not None and any(file.last > until for file in state.rows):
        left = (store.write(name, waiting.where(f"{SLICE} > {until}L")).file,)
    kept = () if fired is None else (store.write(name, _looked_at(layout, fired).drop(_IS_NEW)).file,)
    next_state = replace(
        state,
        fired=max(after, until),
        rows=tuple(file for file in left if file is not None),
        closed=tuple(file for file in kept if file is not None),
    )
    results = None if fired is None else _results(layout, fired).where(_IS_NEW).drop(_IS_NEW)
    return Firing(name, results, next_state, after, until)


def compute(layout: Layout, sources: Mapping[str, DataFrame], after: int, until: int) -> DataFrame:
    """The rows of the slots with `after < end <= until`, from all rows at once: the batch."""
    rows = mark_late(layout, run_query(layout.operator.input, sources))
    name = layout.operator.window.name(Sql(SLICE))
    counting = rows.where(f"{SLICE} IS NOT NULL AND {name} <= {until}L")
    return _results(layout, counting.selectExpr("*", f"{name} > {after}L AS {_IS_NEW}")).where(_IS_NEW).drop(_IS_NEW)


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Rows of the operator's input query with `_nrt_late`, judged from their `_nrt_seen` and `_nrt_batch` alone."""
    lifted = _lifted(layout, rows)
    partition = _partition(layout)
    behind = f"coalesce({SLICE} <= {SEEN} + 1, false)"
    if partition is None:
        return _marked(lifted, behind)
    # A row has fired if the watermark has passed it, and it came in an earlier batch.
    asking = lifted.where(behind).select(*partition, SLICE, SEEN, BATCH).distinct()
    others = lifted.select(*partition, SLICE, BATCH).distinct()
    earlier = (
        F.expr(f"r.{BATCH} > l.{BATCH}") & F.expr(f"l.{SLICE} >= r.{SLICE}") & F.expr(f"l.{SLICE} <= r.{SEEN} + 1")
    )
    late = asking.alias("r").join(others.alias("l"), [*_same(partition), earlier], "left_semi")
    found = late.selectExpr(*partition, SLICE, BATCH, f"true AS {_LAST}")
    told = lifted.alias("r").join(F.broadcast(found.alias("l")), _same([*partition, SLICE, BATCH]), "left")
    return _marked(told.select("r.*", _LAST), f"coalesce({_LAST}, false)").drop(_LAST)


def _operator(layout: Layout) -> WindowAggregate:
    assert isinstance(layout.operator, WindowAggregate)
    return layout.operator


def _partition(layout: Layout) -> tuple[str, ...] | None:
    """The keys by which rows that have fired make others late; None if the watermark does."""
    operator = _operator(layout)
    return None if operator.strict else operator.partition


def _same(names: Sequence[str]) -> list[Column]:
    same = [F.col(f"r.{name}").eqNullSafe(F.col(f"l.{name}")) for name in names]
    return same or [F.lit(True)]


def _columns(layout: Layout) -> list[str]:
    return [*layout.keys, SLICE, *(name for name, _ in layout.values), *(one.name for one in layout.rows)]


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


# ---------------------------------------------------------------------------------------------------- frames


_PLACE = "p.file, p.block, p.row"


def _over(frame: RowFrame) -> str:
    keys = f"PARTITION BY {', '.join(frame.partition)} " if frame.partition else ""
    low = "UNBOUNDED" if frame.low is None else f"{frame.low}{'L' if frame.unit == 'RANGE' else ''}"
    high = "CURRENT ROW" if frame.high == 0 else f"{frame.high} PRECEDING"
    order = SLICE if frame.unit == "RANGE" else f"{SLICE}, {_PLACE}"
    return f"({keys}ORDER BY {order} {frame.unit} BETWEEN {low} PRECEDING AND {high})"


def _results(layout: Layout, rows: DataFrame) -> DataFrame:
    """All rows with their aggregates, `_nrt_end`, and whether they are new."""
    operator = _operator(layout)
    lifts = [f"{one.name} AS {_lift(one.name)}" for one in layout.rows]
    done = rows.selectExpr(*layout.keys, SLICE, _IS_NEW, *(name for name, _ in layout.values), *lifts)
    done = done.withColumn(WINDOW_END, F.col(SLICE))
    for frame in dict.fromkeys(operator.frames):
        calls = tuple(call for call, own in zip(operator.aggregates, operator.frames) if own == frame)
        part = layout_of(replace(operator, aggregates=calls, frames=(frame,) * len(calls)))
        merged = done.selectExpr("*", *_merged(layout, part, _over(frame)))
        results = [f"{sql.replace('{place}', place(layout))} AS {name}" for name, sql in part.results]
        done = merged.selectExpr(*done.columns, *results)
    return done.select(*layout.keys, *(call.name for call in operator.aggregates), WINDOW_END, _IS_NEW)


def _lift(name: str) -> str:
    return f"_nrt_lift_{name}"


def _merged(layout: Layout, part: Layout, over: str) -> Iterator[str]:
    """The accumulators of one frame. Distinct values can only be counted: no partial of them leaves a frame again."""
    for one in part.rows:
        yield f"CAST({one.merge.format(_lift(one.name), over=f' OVER {over}')} AS {one.type}) AS {one.name}"
    values = {sql: name for name, sql in layout.values}
    for group, (_, sql) in zip(part.sets, part.values):
        for one in group.accumulators:
            yield f"CAST(size(collect_set({values[sql]}) OVER {over}) AS {one.type}) AS {one.name}"


def _looked_at(layout: Layout, fired: DataFrame) -> DataFrame:
    """The rows that rows to come may look at; of each key at least the last, which says what is late."""
    operator = _operator(layout)
    wanted = []
    flags = []
    for n, partition in enumerate(dict.fromkeys(frame.partition for frame in operator.frames)):
        frames = [frame for frame in operator.frames if frame.partition == partition]
        if any(frame.low is None for frame in frames):
            return fired
        keys = f"PARTITION BY {', '.join(partition)}" if partition else ""
        rows = max([1, *(frame.low or 0 for frame in frames if frame.unit == "ROWS")])
        length = max([0, *(frame.low or 0 for frame in frames if frame.unit == "RANGE")])
        flags.append(f"row_number() OVER ({keys} ORDER BY {SLICE} DESC, {_PLACE_BACKWARDS}) AS _nrt_rank_{n}")
        flags.append(f"max({SLICE}) OVER ({keys}) AS _nrt_last_{n}")
        wanted.append(f"_nrt_rank_{n} <= {rows} OR {SLICE} >= _nrt_last_{n} - {length}L")
    return fired.selectExpr("*", *flags).where(" OR ".join(wanted)).select(*fired.columns)


_PLACE_BACKWARDS = "p.file DESC, p.block DESC, p.row DESC"
