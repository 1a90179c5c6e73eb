"""Compacts the tables of a lakehouse that a report writes into, and removes their old versions."""

from __future__ import annotations

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.table_maintenance import check_keep
from airflow_nrt.engine.table_maintenance import maintain as maintain_tables
from airflow_nrt.home.home import Home
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.maintain import CompactedTable, MaintainRequest, MaintainResult
from airflow_nrt.usecases.sessions import session


def maintain(request: MaintainRequest, say: Progress) -> MaintainResult:
    """Raises InputError for too short a history, and if the report writes into no table of a lakehouse."""
    place, keep = request.place, parse_duration(request.keep)
    plan = plan_of(place.report)
    check_keep(keep)
    home = Home.open(place.home, place.group)
    home.check_report(plan, plan_of_home)
    with session(plan, place.master) as spark:
        say("Spark session started")
        done = maintain_tables(spark, plan, home, keep, say)
    return MaintainResult({name: CompactedTable(one.files_before, one.files_after) for name, one in done.items()})
