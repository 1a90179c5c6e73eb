"""Aggregates of the results of windows, within each window. Nothing is stored, because windows arrive whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.frames import run_query
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.windows.aggregate import finish
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.engine.windows.slice_merge import close
from airflow_nrt.model.internal_columns import POSITION, WINDOW_END
from airflow_nrt.model.operators import Regroup
from airflow_nrt.model.windows import tumble


def regroup(step: Regroup, views: Mapping[str, DataFrame], tasks: Tasks) -> DataFrame:
    """The step's result over the results of windows."""
    # Each window end is a slice, as for sessions.
    window = step.window if step.window.bounded_by_rows else tumble(1)
    layout = layout_of(replace(step, window=window))
    values = [f"{sql} AS {name}" for name, sql in layout.values]
    rows = run_query(step.input, views).withColumn(SLICE, F.col(WINDOW_END))
    if layout.needs_position and POSITION not in rows.columns:
        rows = _in_order_of_content(rows, layout.keys)
    lifted = rows.selectExpr(*layout.keys, SLICE, *values, *(one.lifted for one in layout.row_accumulators))
    merged = close(layout, lifted, None, tasks).withColumnRenamed(SLICE, WINDOW_END)
    return finish(layout_of(step), merged)


def _in_order_of_content(rows: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Rows without a place on arrival get one: their rank by value within their group."""
    content = ", ".join(name for name in rows.columns if name not in (*keys, WINDOW_END, SLICE))
    number = f"row_number() OVER (PARTITION BY {', '.join([*keys, WINDOW_END])} ORDER BY {content})"
    return rows.selectExpr("*", f"struct(0L AS file, 0L AS block, CAST({number} AS BIGINT) AS row) AS {POSITION}")
