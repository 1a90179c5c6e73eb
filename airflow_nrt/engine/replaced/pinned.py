"""The rows of windows that a person has set, as a verification expects them in their table."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.engine.spark.footers import schema_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.pins import Pin
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.written.durable_files import PARQUET
from airflow_nrt.model.internal_columns import WINDOW_END


def pinned_rows(spark: SparkSession, home: Home, pins: Iterable[Pin]) -> DataFrame | None:
    """The rows with the columns of their table and `_nrt_end`, None without a pin. Raises HomeError if they are
    gone."""
    parts = [rows_of_window(spark, home.root / one.rows, one.end) for one in pins]
    return reduce(DataFrame.unionAll, parts) if parts else None


def rows_of_window(spark: SparkSession, directory: StorePath, end: int) -> DataFrame:
    """The rows of the window that ends there, among those that are kept in a directory. Raises HomeError if they are
    gone."""
    files = directory.below(PARQUET)
    if not files:
        raise HomeError(
            f"the rows in {directory} are gone, which a person has set: put them back from a copy of the home"
        )
    # Spark would start a job to read the schema of a file.
    rows = spark.read.schema(schema_of(files[0].local)).parquet(*(str(file.local) for file in files))
    return rows.where(F.col(WINDOW_END) == end)
