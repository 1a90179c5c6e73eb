"""Joins rows of OVER whose frames are complete at different times: each operator below gives a part of a row.

A row fires with the last of its parts, with the end of that part. `rows` of the operator's state are parts that have
arrived since it last fired, `closed` parts that wait for other parts of their row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import LATE, SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.windows import Sql

_COME = "_nrt_come"


def absorb(store: SliceStore, layout: Layout, state: OperatorState, sources: Mapping[str, DataFrame]) -> DataFrame:
    """The parts that fire below."""
    return mark_late(layout, _parts(layout, sources))


def prepare_firing(store: SliceStore, layout: Layout, state: OperatorState, until: int) -> Firing:
    """Writes the parts that wait for others, and gives the rows with all parts."""
    after = state.fired_until
    parts = store.read((*state.rows, *state.closed), [*layout.keys, SLICE])
    left, results = None, None
    if parts is not None:
        counted = _counted(parts)
        waiting = counted.where(f"{_COME} < {layout.operator.parts}").drop(_COME)
        left, results = store.write(layout.operator.name, waiting).file, _whole(layout, counted)
    next_state = replace(state, fired=max(after, until), rows=(), closed=() if left is None else (left,))
    return Firing(layout.operator.name, results, next_state, after, until)


def compute(layout: Layout, sources: Mapping[str, DataFrame], after: int, until: int, tasks: Tasks) -> DataFrame:
    """In batch: the rows of the slots with `after < end <= until` from all parts at once."""
    rows = _whole(layout, _counted(_parts(layout, sources)))
    name = layout.operator.window.name(Sql(WINDOW_END))
    return rows.where(f"{name} > {after}L AND {name} <= {until}L")


def mark_late(layout: Layout, rows: DataFrame) -> DataFrame:
    """Marks no part as late, because late rows have no parts."""
    return rows.withColumn(LATE, F.lit(None).cast("string"))


def _parts(layout: Layout, sources: Mapping[str, DataFrame]) -> DataFrame:
    return run_query(layout.operator.input, sources).selectExpr(*layout.keys, f"{WINDOW_END} AS {SLICE}")


def _counted(parts: DataFrame) -> DataFrame:
    """The parts, with the number of parts of their row."""
    return parts.selectExpr("*", f"count(*) OVER (PARTITION BY p) AS {_COME}")


def _whole(layout: Layout, counted: DataFrame) -> DataFrame:
    """The rows with all parts. Each column comes from one part, and is NULL in the others."""
    *columns, place = layout.keys
    values = [F.first(name, ignorenulls=True).alias(name) for name in columns]
    whole = counted.where(f"{_COME} = {layout.operator.parts}").groupBy(place)
    return whole.agg(*values, F.max(SLICE).alias(WINDOW_END)).select(*layout.keys, WINDOW_END)
