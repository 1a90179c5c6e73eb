"""The newest version of a dimension table, as its connector gives it."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.time.accept import accepted, judge, metered
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.engine.windows.no_rows import no_rows
from airflow_nrt.model.internal_columns import key_of
from airflow_nrt.model.lookups import MOST_ROWS, ROW_NUMBER
from airflow_nrt.model.plan import Lookup


def newest_rows(spark: SparkSession, lookup: Lookup, mark: Hashable) -> tuple[DataFrame, Observation | None]:
    """The rows of the table as it was marked, numbered in an order that depends on nothing but them.

    The observation counts what was `rejected`; there is none of a table without files.
    """
    if not mark:
        return _numbered(no_rows(spark, lookup.read), lookup), None
    rows = dimension_of(lookup.table).read(spark, lookup.read, mark)
    judged, counts = metered(judge(rows, lookup.read, None, absorbed(None, None)))
    return _numbered(accepted(judged, lookup.read), lookup), counts


def _numbered(rows: DataFrame, lookup: Lookup) -> DataFrame:
    names = [quote(name) for name in lookup.columns]
    # The id counts from 0 in the one partition that there is.
    ordered = rows.selectExpr(*names).coalesce(1).sortWithinPartitions(F.expr(key_of(names)))
    return ordered.selectExpr(*names, f"monotonically_increasing_id() AS {ROW_NUMBER}")


def digest_of(lookup: Lookup, rows: DataFrame) -> str:
    """The name of a version: equal for equal rows, whatever their order. One job of Spark.

    Raises InputError for more than `MOST_ROWS` rows, and for two rows with one primary key.
    """
    table, content = lookup.table, key_of([quote(name) for name in lookup.columns])
    key = key_of([quote(name) for name in table.primary_key if name in lookup.columns])
    found = rows.agg(
        F.count("*").alias("rows"),
        F.expr(f"count(DISTINCT {key})").alias("keys"),
        F.expr(f"sha2(array_join(array_sort(collect_list(sha2({content}, 256))), ''), 256)").alias("content"),
    ).first()
    assert found is not None
    check_size(lookup, found["rows"])
    if set(table.primary_key) <= {*lookup.columns} and table.primary_key and found["keys"] < found["rows"]:
        raise InputError(
            f"table {table.name!r} has {found['rows'] - found['keys']:,} rows whose PRIMARY KEY "
            f"({', '.join(table.primary_key)}) another row has: remove them, or declare no key, so that a row is "
            "joined with each of them"
        )
    columns = ", ".join(f"{name} {table.column(name).type}" for name in lookup.columns)
    return hashlib.sha256(f"{table.name}({columns}) {found['content']}".encode()).hexdigest()[:32]


def check_size(lookup: Lookup, rows: int) -> None:
    """Raises InputError if a table has too many rows to be looked up."""
    if rows > MOST_ROWS:
        raise InputError(
            f"table {lookup.name!r} has {rows:,} rows, and a table that is looked up may have {MOST_ROWS:,}: each task "
            "holds it in memory. Keep fewer rows in it, or join it without FOR SYSTEM_TIME AS OF"
        )


def check_dimension(spark: SparkSession, lookup: Lookup) -> None:
    """Raises InputError if the table can't be looked up. It reads the table, and writes nothing."""
    mark = dimension_of(lookup.table).mark(spark, lookup.table)
    digest_of(lookup, newest_rows(spark, lookup, mark)[0])
