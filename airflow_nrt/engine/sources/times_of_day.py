"""Reading TIME: a text in results of json, one of three units in Parquet."""

from __future__ import annotations

import pyarrow as pa

from airflow_nrt.basics.times_of_day import of_json_field, of_spark_time, with_times
from airflow_nrt.basics.types import DataType


def of_json(sql: str, kind: DataType) -> str:
    """SQL of a value whose times were read as texts."""
    return with_times(sql, kind, of_json_field)


def of_parquet(sql: str, kind: DataType) -> str:
    """SQL of a value that was read with Spark's TIME."""
    return with_times(sql, kind, of_spark_time)


def is_finer(kind: pa.DataType) -> bool:
    """Whether times in a column of Parquet are finer than milliseconds: Spark reads these as its TIME."""
    return pa.types.is_time64(kind) or any(is_finer(kind.field(n).type) for n in range(kind.num_fields))
