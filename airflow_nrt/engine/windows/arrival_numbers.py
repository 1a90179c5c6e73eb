"""Rows of a window operator, numbered in the order of arrival among those of their key (`model/numbering.py`).

The number of rows of each key so far is state, which a batch reads and adds to. A batch over all rows needs none: the
entry of a row, and its place in it, say when it arrived.

    _nrt_arrival   bigint   the number of a row; as state, of the last row of its key
    _nrt_slice     bigint   as state: the end (ms) at which the key is forgotten, when a watermark completes it

A key of a period is forgotten when all windows of its rows are complete. A row that comes then is late for all of them,
and number 1: nobody knows whether it is the first, so the ledger has it. With `idle`, a key begins anew where it
had no row for so long. Its time is that of its rows or of the watermark, whichever is later: so a stream that has
forgotten the key, and a batch, find the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.spark.query_frames import run_query, same
from airflow_nrt.engine.state.compaction import merge_full_level
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.home.log.entries import OperatorState, StateFile
from airflow_nrt.home.log.position.state_kinds import Numbers
from airflow_nrt.model.internal_columns import ARRIVAL, BATCH, NUMBERED, POSITION, ROWTIME, SEEN
from airflow_nrt.model.numbering import Numbering
from airflow_nrt.model.operators import Query, WindowAggregate
from airflow_nrt.model.tables import LINE
from airflow_nrt.model.windows import Sql

_KNOWN, _FORGOTTEN = "_nrt_known", "_nrt_forgotten"
_TIME, _HIGH, _LIFE = "_nrt_time", "_nrt_high", "_nrt_life"
# Rows that no stream has read have a negative number of their batch: they come after all others.
_ORDER = f"{BATCH} < 0, {BATCH}, {POSITION}.file, {POSITION}.block, {POSITION}.row"


def input_rows(layout: Layout, views: Mapping[str, DataFrame]) -> DataFrame:
    """The rows of the operator's input query over its sources, or over rows that are numbered already."""
    query, numbering = layout.operator.input, layout.operator.numbering
    if numbering is None:
        return run_query(query, views)
    rows = views[NUMBERED] if NUMBERED in views else numbered(layout, views, None)
    return run_query(Query(query.sql, (NUMBERED,), query.fields), {NUMBERED: rows})


def numbered(layout: Layout, views: Mapping[str, DataFrame], counts: DataFrame | None) -> DataFrame:
    """The rows with their numbers, and the ends at which their keys are forgotten, after rows of these `counts`."""
    operator, numbering = layout.operator, layout.operator.numbering
    assert numbering is not None
    rows = run_query(Query(numbering.sql, operator.input.inputs, ()), views).drop(LINE)
    columns = rows.columns
    if counts is None:
        known = rows.selectExpr("*", f"0L AS {_KNOWN}", f"CAST(NULL AS BIGINT) AS {_FORGOTTEN}")
    else:
        last = counts.withColumnsRenamed({ARRIVAL: _KNOWN, SLICE: _FORGOTTEN}).alias("l")
        joined = rows.alias("r").join(last, same(numbering.keys), "left")
        known = joined.selectExpr("r.*", f"coalesce({_KNOWN}, 0L) AS {_KNOWN}", _FORGOTTEN)
    if numbering.idle is not None:
        return _since_idle(numbering, known).select(*columns, ARRIVAL, SLICE)
    end = _end(operator, numbering)
    number = f"{_KNOWN} + row_number() OVER {_over(numbering.keys)}"
    return known.selectExpr(*columns, f"IF({end} <= {SEEN} + 1L, 1L, {number}) AS {ARRIVAL}", f"{end} AS {SLICE}")


def _since_idle(numbering: Numbering, known: DataFrame) -> DataFrame:
    keys, idle = numbering.keys, numbering.idle
    assert idle is not None
    before, so_far = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING", "ROWS UNBOUNDED PRECEDING"
    timed = known.selectExpr("*", f"greatest({ROWTIME}, {SEEN}) AS {_TIME}")
    high = f"greatest(max({_TIME}) OVER {_over(keys, before)}, {_FORGOTTEN} - {idle + 1}L)"
    high_known = timed.selectExpr("*", f"{high} AS {_HIGH}")
    begins = f"coalesce({_TIME} - {_HIGH} >= {idle}L, true)"
    lives = high_known.selectExpr("*", f"count_if({begins}) OVER {_over(keys, so_far)} AS {_LIFE}")
    number = f"IF({_LIFE} = 0, {_KNOWN}, 0L) + row_number() OVER {_over((*keys, _LIFE))}"
    end = f"greatest({_TIME}, {_HIGH}) + {idle + 1}L"
    return lives.selectExpr("*", f"{number} AS {ARRIVAL}", f"{end} AS {SLICE}")


def _end(operator: WindowAggregate, numbering: Numbering) -> str:
    """SQL of the end at which the key of a row is forgotten."""
    if numbering.period is None:
        return f"{END_OF_TIME}L"
    return f"{numbering.forgotten_at(operator.window, Sql(ROWTIME))}"


def _over(keys: tuple[str, ...], frame: str = "") -> str:
    """SQL of a window specification.

    >>> print(_over(("_nrt_by_0",), "ROWS UNBOUNDED PRECEDING"))
    (PARTITION BY _nrt_by_0 ORDER BY _nrt_batch < 0, _nrt_batch, _nrt_pos.file, _nrt_pos.block, _nrt_pos.row ROWS
    UNBOUNDED PRECEDING)
    """
    by = f"PARTITION BY {', '.join(keys)} " if keys else ""
    return f"({by}ORDER BY {_ORDER}{f' {frame}' if frame else ''})"


# ---------------------------------------------------------------------------------------------------- state


@contextmanager
def with_numbered_rows(
    store: SliceStore, layout: Layout, state: OperatorState, views: Mapping[str, DataFrame]
) -> Iterator[Mapping[str, DataFrame]]:
    """The views of a batch with its numbered rows, if the operator reads such. They are kept, for two readers."""
    numbering = layout.operator.numbering
    if numbering is None:
        yield views
        return
    counts = store.read(Numbers(state.numbers).known_at(state.watermark).files, _columns(numbering))
    before = None if counts is None else _last(numbering, counts.where(_is_known(state.watermark)))
    rows = numbered(layout, views, before).persist()
    try:
        yield {**views, NUMBERED: rows}
    finally:
        rows.unpersist()


def with_numbers(store: SliceStore, layout: Layout, state: OperatorState, rows: DataFrame) -> tuple[StateFile, ...]:
    """The files of numbers after a batch of these rows, without those whose keys are forgotten."""
    numbering = layout.operator.numbering
    assert numbering is not None
    new = rows.where(_is_known(state.watermark))
    if numbering.most is not None and numbering.idle is None:
        new = new.where(f"{ARRIVAL} <= {numbering.most}L")
    written = store.write(layout.operator.name, _last(numbering, new)).file
    known = Numbers(state.numbers).known_at(state.watermark).files
    return known if written is None else (*known, written)


def compact_numbers(store: SliceStore, layout: Layout, state: OperatorState) -> tuple[StateFile, ...]:
    """The same numbers in fewer files, if a level has too many."""
    numbering = layout.operator.numbering
    if numbering is None:
        return state.numbers
    known = _is_known(state.watermark)

    def merged(rows: DataFrame, full: tuple[StateFile, ...]) -> DataFrame:
        store.tuning.tune_for(full)
        return _last(numbering, rows.where(known))

    return merge_full_level(store, layout.operator.name, state.numbers, _columns(numbering), merged)


def _columns(numbering: Numbering) -> list[str]:
    return [*numbering.keys, SLICE, ARRIVAL]


def _last(numbering: Numbering, rows: DataFrame) -> DataFrame:
    """The last number of each key. A key that begins anew has a later end."""
    found = rows.groupBy(*numbering.keys).agg(F.expr(f"max(struct({SLICE}, {ARRIVAL}))").alias("last"))
    return found.selectExpr(*numbering.keys, f"last.{SLICE} AS {SLICE}", f"last.{ARRIVAL} AS {ARRIVAL}")


def _is_known(watermark: int | None) -> str:
    """SQL predicate: a key is not forgotten at this watermark (ms)."""
    return "true" if watermark is None else f"{SLICE} > {watermark + 1}L"
