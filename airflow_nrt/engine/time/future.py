"""Rows from the future are rejected: a wrong clock (the year 2099) would make all later rows of the day late."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.basics.durations import HOUR
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.plan import Plan, Source

FURTHEST_ZONE = 14 * HOUR


def latest_rowtime(spark: SparkSession, plan: Plan, source: Source, clock: int) -> int | None:
    """The last rowtime (ms) that is not in the future at this processing time; None if any rowtime is accepted.

    Bounded input accepts any. A rowtime without zone is on the clock of `table.local-time-zone`; if the report does not
    set that, on the clock that is furthest ahead on earth.
    """
    table = source.table
    if table.watermark is None or not connector_of(table).is_live(table):
        return None
    ahead: int = source_option(table.options, "scan.watermark.max-ahead")
    if table.rowtime_type.name == "TIMESTAMP_LTZ":
        return clock + ahead
    zone = plan.setting("table.local-time-zone")
    return clock + ahead + (FURTHEST_ZONE if zone is None else _offset(spark, zone, clock))


def _offset(spark: SparkSession, zone: str, clock: int) -> int:
    """Milliseconds by which a zone's clock is ahead of UTC at an instant, by the rules of the JVM."""
    jvm = spark.sparkContext._jvm
    rules = java_class(jvm, "java.time.ZoneId").of(zone).getRules()
    seconds: int = rules.getOffset(java_class(jvm, "java.time.Instant").ofEpochMilli(clock)).getTotalSeconds()
    return seconds * 1000
