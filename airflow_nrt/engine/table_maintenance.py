"""Maintenance of the tables that a report writes into, beside its driver."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from airflow_nrt.basics.durations import HOUR, format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.sink import Maintained
from airflow_nrt.engine.spark.own_session import own_session
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan

_LEAST = HOUR
"""Milliseconds: commits of a driver that are under way, and queries of readers, need the files of older versions."""


def check_keep(keep: int) -> None:
    """Raises InputError if so short a history (ms) would take files away from those who are reading them."""
    if keep < _LEAST:
        raise InputError(
            f"a history of {format_duration(keep)} is shorter than what readers and drivers may be using: keep at "
            f"least {format_duration(_LEAST)}"
        )


def maintain(
    spark: SparkSession, plan: Plan, home: Home, keep: int, say: Callable[[str], None] = lambda text: None
) -> dict[str, Maintained]:
    """Compacts the tables of a report's inserts, and keeps so much of their history (ms); gives what was done by
    insert.

    Raises InputError as `check_keep` does, or if a table belongs to another home.
    """
    check_keep(keep)
    session = own_session(spark)
    before, done = now_ms() - keep, dict[str, Maintained]()
    for insert in plan.written:
        found = sink_of(insert).maintain(session, home, insert, before)
        if found is not None:
            done[insert.name] = found
            say(f"{insert.name}: {counted(found.files_before, 'file')} became {found.files_after}")
    return done
