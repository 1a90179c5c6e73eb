"""The window aggregate as one operator: absorb, close, fire; and all of it at once in batch."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.types import DataType, Field
from airflow_nrt.engine.aggregates.accumulator_layout import AccumulatorLayout
from airflow_nrt.engine.aggregates.group_merge import exchanged
from airflow_nrt.engine.spark.given_rows import empty_rows
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import LATE, SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.arrival_numbers import input_rows
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.partials import lift
from airflow_nrt.engine.windows.slice_merge import close
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.model.operators import Regroup, WindowAggregate
from airflow_nrt.model.value_places import in_window
from airflow_nrt.model.window_columns import ROLES, bounds, window_column


def absorb(store: SliceStore, layout: Layout, state: OperatorState, sources: Mapping[str, DataFrame]) -> DataFrame:
    """Accepted source rows (with the hidden columns) to partials, late ones marked. It does not need the state."""
    return lift(layout, input_rows(layout, sources))


def fire(layout: Layout, closed: DataFrame, rows: DataFrame | None, after: int, until: int) -> DataFrame:
    """The results of all windows with `after < end <= until`, for the plan's queries."""
    return finish(layout.operator, layout.accumulators, layout.slices.fire(layout, closed, rows, after, until))


def finish(operator: WindowAggregate | Regroup, accumulators: AccumulatorLayout, merged: DataFrame) -> DataFrame:
    """Merged accumulators to the operator's result: keys, window columns, aggregates, `_nrt_end`."""
    keys = [field.name for field in operator.keys]
    windows = [
        f"{window_column(operator.window, role, operator.rowtime_type)} AS {name}" for name, role in ROLES.items()
    ]
    return merged.selectExpr(*keys, *windows, *accumulators.finished(in_window(keys)), *bounds(operator.window))


def no_windows(spark: SparkSession, operator: WindowAggregate) -> DataFrame:
    """The result of an operator if no window has rows."""
    time = DataType("TIMESTAMP", precision=3)
    windows = (Field("window_start", time), Field("window_end", time), Field("window_time", operator.rowtime_type))
    aggregates = tuple(Field(call.name, call.type) for call in operator.aggregates)
    columns = [(field.name, field.type.spark) for field in (*operator.keys, *windows, *aggregates)]
    return empty_rows(spark, [*columns, *((name, "BIGINT") for name in bounds(operator.window))])


def compute(layout: Layout, sources: Mapping[str, DataFrame], after: int, until: int, tasks: Tasks) -> DataFrame:
    """In batch: all windows with `after < end <= until` from all their rows at once. Nothing is stored."""
    window = layout.operator.window
    first_row = window.earliest_row(window.grid.after(after))
    partials = (
        lift(layout, input_rows(layout, sources)).drop(LATE).where(f"{SLICE} > {first_row}L AND {SLICE} <= {until}L")
    )
    sets = layout.accumulators.sets
    if sets and not layout.slices.counts_when_closing:
        partials = exchanged(layout.keys, partials, tasks)
    closed = close(layout, partials, None, tasks)
    return fire(layout, closed, partials if sets else None, after, until)
