"""A start that is refused leaves no new home, and no claim on a table."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.removal import close, has_begun, remove_unbegun, reopen
from airflow_nrt.model.plan import Plan


def withdraw(spark: SparkSession, plan: Plan, home: Home) -> None:
    """Removes a home in which no driver has begun, and gives up its tables.

    Any other home stays, and so does one whose tables can't be given up: their server may be why it was refused.
    """
    close(home)
    try:
        if not has_begun(home):
            for insert in plan.written:
                sink_of(insert).release(spark, home, insert)
            remove_unbegun(home)
            return
    except (NrtError, OSError):
        pass
    reopen(home)
