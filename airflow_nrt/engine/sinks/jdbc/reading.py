"""Rows of a table in a database, read by Spark as texts, so that no driver of JDBC shifts a time."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.jdbc.connection import beginning_of_reader, properties
from airflow_nrt.engine.sinks.jdbc.database import explained
from airflow_nrt.engine.sinks.jdbc.dialects import dialect_of
from airflow_nrt.engine.sinks.jdbc.values_as_texts import value_sql
from airflow_nrt.model.connectors.jdbc import TABLE
from airflow_nrt.model.tables import Column, Table

ROWS_AT_ONCE = "5000"


def table_rows(spark: SparkSession, table: Table, columns: Sequence[Column], where: str = "") -> DataFrame:
    """The rows of a table, by one query; `where` is SQL of the database. Raises InputError and UnreachableError."""
    dialect = dialect_of(table)
    texts = ", ".join(
        f"{dialect.read(dialect.name(one.name), one.type)} AS {dialect.name(one.name)}" for one in columns
    )
    options = {
        **properties(table),
        "url": dialect.url(table),
        "driver": dialect.driver,
        "dbtable": f"(SELECT {texts} FROM {dialect.table(table.options[TABLE])}{where}) standing",
        "sessionInitStatement": beginning_of_reader(table),
        "fetchsize": ROWS_AT_ONCE,
    }
    with explained(spark, table):
        rows = spark.read.format("jdbc").options(**options).load()
    return rows.selectExpr(*(f"{value_sql(one)} AS {quote(one.name)}" for one in columns))
