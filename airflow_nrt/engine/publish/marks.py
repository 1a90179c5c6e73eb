"""Up to which log entry tables have their results that follow the log: retention stops there."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan


def marks_of(spark: SparkSession, plan: Plan, home: Home) -> dict[str, int]:
    """By insert. Raises InputError for a table that is gone, UnreachableError for one whose server is away."""
    marks = {insert.name: sink_of(insert).published_until(spark, home, insert) for insert in plan.written}
    return {name: mark for name, mark in marks.items() if mark is not None}
