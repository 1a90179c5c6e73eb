"""Finds rows that the log has decided on, and that their sinks refuse."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.fold.settled import settled_until
from airflow_nrt.home.set_aside import SetAside
from airflow_nrt.model.plan import Plan


def refused_rows(spark: SparkSession, home: Home, plan: Plan, say: Progress) -> list[SetAside]:
    """Those of all entries that are not published yet. Publishes nothing. Raises as `Sink.refused`."""
    found: list[SetAside] = []
    known = {insert.name for insert in plan.written}
    log = home.log()
    for entry in log.entries(settled_until(log) + 1):
        waiting: dict[str, list[Published]] = {}
        for one in entry.published:
            if one.insert in known and (home.root / one.staged).exists():
                waiting.setdefault(one.insert, []).append(one)
        for name, files in waiting.items():
            insert = plan.insert(name)
            refused = sink_of(insert).refused(spark, home, insert, entry, files)
            found += [SetAside(name, entry.n, one.end, one.content, one.row, one.reason) for one in refused]
            say(f"entry {entry.n}, {name}: {counted(len(refused), 'row')} refused")
    return found
