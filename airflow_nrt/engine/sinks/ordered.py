"""Results in the order of an ORDER BY: sorted inside of each file."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.frames import run_sql
from airflow_nrt.model.internal_columns import SORTED_BY
from airflow_nrt.model.plan import Insert


def ordered(frame: DataFrame, insert: Insert, parts: Iterable[str]) -> DataFrame:
    """The rows of each task by the SQL that parts the files, then in the insert's order, if it has one.

    What has no windows is one file, so it is one task. The columns that are there for the order alone are gone.
    """
    if not insert.order:
        return frame
    rows = frame if insert.operators else frame.coalesce(1)
    rows = run_sql(f"SELECT * FROM result SORT BY {', '.join((*parts, *insert.order))}", {"result": rows})
    return rows.drop(*(name for name in rows.columns if name.startswith(SORTED_BY)))
