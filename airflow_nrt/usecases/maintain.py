"""Keeps what a report has written small: compacts its tables in a lakehouse, and the history in its home."""

from __future__ import annotations

from functools import partial

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.publish.marks import marks_of
from airflow_nrt.engine.table_maintenance import check_keep
from airflow_nrt.engine.table_maintenance import maintain as maintain_tables
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.history.lacking import lacking
from airflow_nrt.home.log.history.provable import provable_from
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.maintain import CompactedTable, KeptHistory, MaintainRequest, MaintainResult
from airflow_nrt.usecases.sessions import session


def maintain(request: MaintainRequest, say: Progress) -> MaintainResult:
    """With `dry_run` nothing is changed, and the result is what would be removed.

    Raises InputError for too short a history of tables; HomeError.
    """
    place, keep = request.place, parse_duration(request.keep)
    plan = plan_of(place.report)
    check_keep(keep)
    home = Home.open(place.home, place.group)
    home.check_report(plan, plan_of_home)
    with session(plan, place.master) as spark:
        say("Spark session started")
        done = {} if request.dry_run else maintain_tables(spark, plan, home, keep, say)
        tables = {name: CompactedTable(one.files_before, one.files_after) for name, one in done.items()}
        retention = Retention(home, Keep.of(plan), partial(marks_of, spark, plan, home), partial(_is_filling, home))
        log = home.log()
        return MaintainResult(tables, (_would_keep if request.dry_run else _kept)(retention, log))


def _is_filling(home: Home) -> bool:
    added = home.identity().added
    return bool(added) and bool(lacking(past_results(home.log()), added))


def _would_keep(retention: Retention, log: Log) -> KeptHistory:
    found = list(retention.removals(log))
    if not found:
        return _history(log, 0, 0, retention.held)
    last, size = found[-1], sum(one.size for one in found)
    return KeptHistory(last.last + 1, last.last + 1 - log.first, size, last.time, last.provable_from, retention.held)


def _kept(retention: Retention, log: Log) -> KeptHistory:
    before, size = log.first, 0
    while retention.step(log):
        size += retention.removed_bytes
    return _history(log, log.first - before, size, retention.held)


def _history(log: Log, removed: int, size: int, held: str | None) -> KeptHistory:
    if log.floor is None:
        return KeptHistory(log.first, removed, size, None, None, held)
    return KeptHistory(log.first, removed, size, log.floor.time, provable_from(log.beginning().state.position), held)
