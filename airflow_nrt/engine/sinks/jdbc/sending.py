"""Sends rows of texts from the tasks of Spark to a table of a database."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.java.java_class import shipped_class
from airflow_nrt.engine.sinks.jdbc.database import credentials, explained
from airflow_nrt.engine.sinks.jdbc.dialects import dialect_of
from airflow_nrt.engine.sinks.jdbc.reading import ROWS_AT_ONCE
from airflow_nrt.model.tables import Table


def send(spark: SparkSession, sink: Table, rows: DataFrame, table: str) -> None:
    """Appends the rows to `table`, a quoted name, in the database of `sink`. A row may be there twice if a task fails.

    Raises InputError and UnreachableError.
    """
    dialect = dialect_of(sink)
    made = shipped_class(spark, dialect.sender) if dialect.sender else None
    with explained(spark, sink):
        if made is None:
            _insert(sink, rows, table)
            return
        texts: Any = rows.select(*(F.col(name).cast("string") for name in rows.columns))
        columns = ", ".join(map(dialect.name, rows.columns))
        statement = f"COPY {table} ({columns}) FROM STDIN"
        made.send(texts._jdf.queryExecution().toRdd(), dialect.url(sink), credentials(sink), statement)


def _insert(sink: Table, rows: DataFrame, table: str) -> None:
    dialect = dialect_of(sink)
    options = {
        **credentials(sink),
        **dialect.faster,
        "url": dialect.url(sink),
        "driver": dialect.driver,
        "dbtable": table,
        "batchsize": ROWS_AT_ONCE,
        "isolationLevel": "READ_COMMITTED",
    }
    rows.write.format("jdbc").options(**options).mode("append").save()
