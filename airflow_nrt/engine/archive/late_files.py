"""The splits with late rows of an interval, by the late ledger."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.spark.paths import GLOB


def late_files(spark: SparkSession, ledgers: Iterable[Path], start: int, end: int) -> frozenset[str]:
    """The splits, as these directories of the ledger name them, that have late rows with `start <= rowtime < end` (ms).

    One whose directory is gone is not among them.
    """
    present = [str(directory).translate(GLOB) for directory in ledgers if directory.is_dir()]
    if not present:
        return frozenset()
    records = spark.read.text(present)
    at = "CAST(get_json_object(value, '$.rowtime') AS BIGINT)"
    inside = records.where(f"{at} >= {start}L AND {at} < {end}L")
    return frozenset(row[0] for row in inside.selectExpr("get_json_object(value, '$.file')").distinct().collect())
