"""A start that is refused leaves no new home, and no claim on a table."""

from __future__ import annotations

from contextlib import suppress

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.removal import close_unbegun, remove_unbegun
from airflow_nrt.model.plan import Plan


def withdraw(spark: SparkSession, plan: Plan, home: Home) -> None:
    """Removes a home in which no driver has begun, and gives up its tables. Any other home stays."""
    if not close_unbegun(home):
        return
    for insert in plan.written:
        # The server of a table may be why the start was refused.
        with suppress(NrtError):
            sink_of(insert).release(spark, home, insert)
    remove_unbegun(home)
