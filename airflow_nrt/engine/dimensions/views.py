"""The views of the session by which the SQL of a plan reads dimension tables."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import bigint, quote
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.dimensions.newest import digest_of, newest_rows
from airflow_nrt.engine.dimensions.remembered import remember, version_rows
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.windows.no_rows import no_rows
from airflow_nrt.home.home import Home
from airflow_nrt.model.lookups import ROW_NUMBER, VALID_FROM, VALID_UNTIL, view_of
from airflow_nrt.model.plan import Lookup

_ALWAYS = (f"{-END_OF_TIME}L AS {VALID_FROM}", f"{END_OF_TIME}L AS {VALID_UNTIL}")


def provide(lookup: Lookup, versions: DataFrame, tasks: Tasks | None = None) -> None:
    """Lets queries that are planned from now on read these versions of the table.

    `tasks` are those of the rows that are joined. One task needs no broadcast, which is a job of Spark.
    """
    is_one = tasks is not None and tasks.is_one
    rows = versions.coalesce(1).hint("shuffle_hash") if is_one else versions.hint("broadcast")
    rows.createOrReplaceTempView(quote(view_of(lookup.table)))


def provide_version(spark: SparkSession, home: Home, lookup: Lookup, version: str, tasks: Tasks | None = None) -> None:
    """Lets them read one version that the home remembers, for all rows."""
    provide(lookup, version_rows(spark, home, lookup, [version]).selectExpr("*", *_ALWAYS), tasks)


def provide_newest(spark: SparkSession, lookup: Lookup) -> str:
    """Lets them read the table as it is now; gives the version. Nothing is written."""
    rows, _ = newest_rows(spark, lookup, dimension_of(lookup.table).mark(spark, lookup.table))
    provide(lookup, rows.selectExpr("*", *_ALWAYS))
    with dimension_of(lookup.table).explained(spark, lookup.table):
        return digest_of(lookup, rows)


def remember_newest(spark: SparkSession, home: Home, lookup: Lookup) -> str:
    """The version of the table as it is now, which the home remembers from now on."""
    return remember(spark, home, lookup, dimension_of(lookup.table).mark(spark, lookup.table))


def provide_nothing(spark: SparkSession, lookup: Lookup) -> None:
    """Lets them read the table without rows."""
    numbered = no_rows(spark, lookup.read).selectExpr("*", f"{bigint(None)} AS {ROW_NUMBER}", *_ALWAYS)
    provide(lookup, numbered)
