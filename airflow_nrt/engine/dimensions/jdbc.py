"""Dimension tables in databases: a version is what one query reads."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager

from pyspark.sql import DataFrame, Observation, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.engine.dimensions.dimension import Dimension
from airflow_nrt.engine.sinks.jdbc.database import Database, explained, with_database
from airflow_nrt.engine.sinks.jdbc.reading import table_rows
from airflow_nrt.engine.time.computed_columns import computed_columns
from airflow_nrt.engine.time.fractions import with_fractions
from airflow_nrt.model.connectors.jdbc import TABLE
from airflow_nrt.model.lookups import check_row_count
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import Table


class JdbcDimension(Dimension):
    has_server = True

    def mark(self, spark: SparkSession, table: Table) -> Hashable:
        """A new one each time, because a database does not say whether a table has changed."""
        with_database(spark, table, lambda database: _check(database, table))
        return object()

    def rows(self, spark: SparkSession, source: Source, mark: Hashable) -> tuple[DataFrame, Observation | None]:
        table = source.table
        read = [column for column in table.physical if column.name in source.physical]
        rows = with_fractions(table_rows(spark, table, read), source)
        return rows.selectExpr("*", *computed_columns(source)), None

    def explained(self, spark: SparkSession, table: Table) -> AbstractContextManager[None]:
        return explained(spark, table)


def _check(database: Database, table: Table) -> None:
    """Raises InputError for a table that is missing, that lacks a column, or that has too many rows."""
    name = table.options[TABLE]
    columns = database.columns(name)
    if not columns:
        raise InputError(f"table {table.name!r}: the database has no table {name}: create it, or correct '{TABLE}'")
    lacking = next((one.name for one in table.physical if one.name not in columns), None)
    if lacking is not None:
        raise InputError(f"table {table.name!r}: {name} has no column {lacking!r}{nearest(lacking, columns)}")
    ((count,),) = database.rows(f"SELECT COUNT(*) FROM {database.dialect.table(name)}")
    check_row_count(table, int(count))
