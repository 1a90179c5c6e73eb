"""The batch that a row was absorbed in, as a column: what functions of the clock read (`sql/functions/clock.py`)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from airflow_nrt.report.hidden import ABSORBED


def absorbed(rows: DataFrame, clock: int | Column | None, watermark: int | Column | None) -> DataFrame:
    """The rows with `_nrt_absorbed`: processing time (ms), and the watermark (ms) of their source before the batch.

    Without a clock a function that asks for it fails.
    """
    fields = [_bigint(clock).alias("clock"), _bigint(watermark).alias("watermark")]
    return rows.withColumn(ABSORBED, F.struct(*fields))


def _bigint(value: int | Column | None) -> Column:
    return (value if isinstance(value, Column) else F.lit(value)).cast("bigint")
