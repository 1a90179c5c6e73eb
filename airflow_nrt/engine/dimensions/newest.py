"""The newest version of a dimension table, as its connector gives it."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.model.internal_columns import key_of
from airflow_nrt.model.lookups import ROW_NUMBER, check_row_count
from airflow_nrt.model.plan import Lookup


def newest_rows(spark: SparkSession, lookup: Lookup, mark: Hashable) -> tuple[DataFrame, Observation | None]:
    """The rows of the table as it was marked, numbered in an order that depends on nothing but them.

    The observation counts what was `rejected`, if anything can be.
    """
    rows, counts = dimension_of(lookup.table).rows(spark, lookup.read, mark)
    return _numbered(rows, lookup), counts


def _numbered(rows: DataFrame, lookup: Lookup) -> DataFrame:
    names = [quote(name) for name in lookup.columns]
    # The id counts from 0 in the one partition that there is.
    ordered = rows.selectExpr(*names).coalesce(1).sortWithinPartitions(F.expr(key_of(names)))
    return ordered.selectExpr(*names, f"monotonically_increasing_id() AS {ROW_NUMBER}")


def digest_of(lookup: Lookup, rows: DataFrame) -> str:
    """The name of a version: equal for equal rows, whatever their order. One job of Spark.

    Raises InputError for too many rows, and for two rows with one primary key.
    """
    table, content = lookup.table, key_of([quote(name) for name in lookup.columns])
    key = key_of([quote(name) for name in table.primary_key if name in lookup.columns])
    found = rows.agg(
        F.count("*").alias("rows"),
        F.expr(f"count(DISTINCT {key})").alias("keys"),
        F.expr(f"sha2(array_join(array_sort(collect_list(sha2({content}, 256))), ''), 256)").alias("content"),
    ).first()
    assert found is not None
    check_row_count(table, found["rows"])
    if set(table.primary_key) <= {*lookup.columns} and table.primary_key and found["keys"] < found["rows"]:
        raise InputError(
            f"table {table.name!r} has {counted(found['rows'] - found['keys'], 'row')} whose PRIMARY KEY "
            f"({', '.join(table.primary_key)}) another row has: remove them, or declare no key, so that a row is "
            "joined with each of them"
        )
    columns = ", ".join(f"{name} {table.column(name).type}" for name in lookup.columns)
    return hashlib.sha256(f"{table.name}({columns}) {found['content']}".encode()).hexdigest()[:32]


def check_dimension(spark: SparkSession, lookup: Lookup) -> None:
    """Raises InputError if the table can't be looked up, or is away. It reads the table, and writes nothing."""
    try:
        mark = dimension_of(lookup.table).mark(spark, lookup.table)
    except UnreachableError as away:
        raise InputError(str(away)) from None
    with dimension_of(lookup.table).explained(spark, lookup.table):
        digest_of(lookup, newest_rows(spark, lookup, mark)[0])
