"""Frames of rows from the driver. `createDataFrame` would send them through Python processes on the executors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import string_literal


def given_rows(
    spark: SparkSession, columns: Mapping[str, str], rows: Sequence[Sequence[str | int | None]]
) -> DataFrame:
    """A frame of these rows; `columns` are the types of the values, by name."""
    if not rows:
        return empty_rows(spark, columns.items())
    values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
    named = (f"CAST(col{n} AS {kind}) AS {name}" for n, (name, kind) in enumerate(columns.items(), 1))
    return spark.sql(f"SELECT {', '.join(named)} FROM VALUES {values}")


def empty_rows(spark: SparkSession, columns: Iterable[tuple[str, str]]) -> DataFrame:
    """An empty frame with columns of these names and types.

    Spark does not know that it is empty. Else it would skip the other side of a join, with the observations there.
    """
    return spark.range(0, 0, 1, 1).selectExpr(*(f"CAST(NULL AS {kind}) AS {name}" for name, kind in columns))


def _literal(value: str | int | None) -> str:
    if value is None:
        return "NULL"
    return f"{value}L" if isinstance(value, int) else string_literal(value)
