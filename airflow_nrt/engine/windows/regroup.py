"""Aggregates of the results of windows, within each window. Nothing is stored, because windows arrive whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.group_merge import merge_groups
from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.windows.layout_of import accumulators_of
from airflow_nrt.engine.windows.window_operator import finish
from airflow_nrt.model.internal_columns import POSITION, WINDOW_END
from airflow_nrt.model.operators import Regroup


def regroup(step: Regroup, views: Mapping[str, DataFrame], tasks: Tasks) -> DataFrame:
    """The step's result over the results of windows."""
    accumulators, keys = accumulators_of(step), [field.name for field in step.keys]
    rows = run_query(step.input, views)
    if accumulators.order_sensitive and POSITION not in rows.columns:
        rows = _in_order_of_content(rows, keys)
    # Aggregates by order of arrival order by slices first: of equal windows.
    placed = rows.withColumn(SLICE, F.col(WINDOW_END))
    lifted = placed.selectExpr(*keys, WINDOW_END, *accumulators.lifted)
    return finish(step, accumulators, merge_groups(accumulators, keys, (WINDOW_END,), lifted, tasks))


def _in_order_of_content(rows: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Rows without a place on arrival get one: their rank by value within their group."""
    content = ", ".join(name for name in rows.columns if name not in (*keys, WINDOW_END))
    number = f"row_number() OVER (PARTITION BY {', '.join([*keys, WINDOW_END])} ORDER BY {content})"
    return rows.selectExpr("*", f"struct(0L AS file, 0L AS block, CAST({number} AS BIGINT) AS row) AS {POSITION}")
