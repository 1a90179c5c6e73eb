"""Locks that somebody else holds in a database, by a connection of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sinks.jdbc.dialects import dialect_of
from airflow_nrt.model.tables import Table
from tests.servers.mariadb import MariaDb
from tests.servers.postgresql import PostgreSql


@contextmanager
def connected(spark: SparkSession, server: PostgreSql | MariaDb) -> Iterator[Any]:
    """A connection in a transaction, which is rolled back."""
    jvm: Any = spark._jvm
    table = Table("other", (), "jdbc", options={"url": server.url})
    given = java_class(jvm, "java.util.Properties")()
    for name, text in {"user": "app", "password": "secret"}.items():
        given.setProperty(name, text)
    connection = java_class(jvm, dialect_of(table).driver)().connect(dialect_of(table).url(table), given)
    try:
        connection.setAutoCommit(False)
        yield connection
    finally:
        connection.rollback()
        connection.close()


@contextmanager
def locked_table(spark: SparkSession, server: PostgreSql | MariaDb, table: str) -> Iterator[None]:
    """Nobody else can write into the table, as while it is altered."""
    is_mariadb = isinstance(server, MariaDb)
    with connected(spark, server) as connection:
        statement = f"LOCK TABLES {table} WRITE" if is_mariadb else f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"
        connection.createStatement().execute(statement)
        yield


@contextmanager
def locked_rows(spark: SparkSession, server: PostgreSql | MariaDb, table: str) -> Iterator[None]:
    """Nobody else can change the rows of the table, as beside an UPDATE that was not committed."""
    with connected(spark, server) as connection:
        connection.createStatement().execute(f"SELECT * FROM {table} FOR UPDATE")
        yield
