"""Stateless queries of the plan as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.operators import Query


def run_query(query: Query, views: Mapping[str, DataFrame]) -> DataFrame:
    """The query over these inputs, lazily. For one thread at a time, because the inputs are views of the session."""
    return run_sql(query.sql, {name: views[name] for name in query.inputs})


def run_sql(sql: str, views: Mapping[str, DataFrame]) -> DataFrame:
    """Spark SQL over these DataFrames by name."""
    session: SparkSession = next(iter(views.values())).sparkSession
    for name, frame in views.items():
        frame.createOrReplaceTempView(quote(name))
    return session.sql(sql)


def same(names: Sequence[str]) -> list[Column]:
    """The join condition that rows `l` and `r` are equal in these columns; NULL equals NULL."""
    return [F.col(f"r.{name}").eqNullSafe(F.col(f"l.{name}")) for name in names] or [F.lit(True)]
