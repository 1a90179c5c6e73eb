"""The views of the session by which the SQL of a plan reads dimension tables."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.dimensions.newest import digest_of, newest_rows
from airflow_nrt.engine.dimensions.remembered import remember, valid_versions
from airflow_nrt.home.home import Home
from airflow_nrt.model.lookups import VALID_FROM, VALID_UNTIL, view_of
from airflow_nrt.model.plan import Lookup


def provide(lookup: Lookup, versions: DataFrame) -> None:
    """Lets queries that are planned from now on read these versions of the table."""
    versions.createOrReplaceTempView(quote(view_of(lookup.table)))


def provide_version(spark: SparkSession, home: Home, lookup: Lookup, version: str) -> None:
    """Lets them read one version that the home remembers, for all rows."""
    provide(lookup, valid_versions(spark, home, lookup, [(version, -END_OF_TIME, END_OF_TIME)]))


def provide_newest(spark: SparkSession, lookup: Lookup) -> str:
    """Lets them read the table as it is now; gives the version. Nothing is written."""
    rows, _ = newest_rows(spark, lookup, dimension_of(lookup.table).mark(spark, lookup.table))
    provide(lookup, rows.selectExpr("*", f"{-END_OF_TIME}L AS {VALID_FROM}", f"{END_OF_TIME}L AS {VALID_UNTIL}"))
    return digest_of(lookup, rows)


def remember_newest(spark: SparkSession, home: Home, lookup: Lookup) -> str:
    """The version of the table as it is now, which the home remembers from now on."""
    return remember(spark, home, lookup, dimension_of(lookup.table).mark(spark, lookup.table))
