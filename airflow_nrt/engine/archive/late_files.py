"""The splits with late rows of an interval, by the late ledger."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import SparkSession

from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.home.store.store_path import StorePath


def late_files(spark: SparkSession, ledgers: Iterable[StorePath], start: int, end: int) -> frozenset[str]:
    """The splits, as these files of the ledger name them, that have late rows with `start <= rowtime < end` (ms).

    One whose file is gone is not among them.
    """
    present = [str(file).translate(GLOB) for file in ledgers if file.exists()]
    if not present:
        return frozenset()
    records = spark.read.text(present)
    at = "CAST(get_json_object(value, '$.rowtime') AS BIGINT)"
    inside = records.where(f"{at} >= {start}L AND {at} < {end}L")
    return frozenset(row[0] for row in inside.selectExpr("get_json_object(value, '$.file')").distinct().collect())
