"""Results in the order of an ORDER BY: each file is sorted."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.query_frames import run_sql
from airflow_nrt.model.internal_columns import SORTED_BY
from airflow_nrt.model.plan import Insert


def ordered(frame: DataFrame, insert: Insert, parts: Iterable[str]) -> DataFrame:
    """The rows of each task, sorted by `parts`, the SQL that splits them into files, then in the insert's order.

    Without an order, the rows as they are. Without windows one task writes one file. Columns only for sorting are
    dropped.
    """
    if not insert.order:
        return frame
    rows = frame if insert.operators else frame.coalesce(1)
    rows = run_sql(f"SELECT * FROM result SORT BY {', '.join((*parts, *insert.order))}", {"result": rows})
    return rows.drop(*(name for name in rows.columns if name.startswith(SORTED_BY)))
