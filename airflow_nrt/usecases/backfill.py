"""Computes windows of an interval in batch, verifies what is published of them, or publishes over it."""

from __future__ import annotations

from airflow_nrt.describe.mismatch import FAIL
from airflow_nrt.engine.backfill import backfill as backfill_windows
from airflow_nrt.engine.backfill_checks import check_backfill
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.authors import Author
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of, time_of
from airflow_nrt.usecases.requests.backfill import BackfillRequest, BackfillSummary
from airflow_nrt.usecases.sessions import session
from airflow_nrt.usecases.waiting import wait_for_stream


def backfill(request: BackfillRequest, say: Progress) -> BackfillSummary:
    """The home is created if it is missing.

    Raises InputError, before anything is written, as `check_backfill` does; NotReadError.
    """
    batch, place = request.batch, request.place
    plan = plan_of(place.report)
    interval = Interval(time_of(batch.start, plan), time_of(batch.end, plan))
    home = Home.checked(place.home, plan, plan_of_home, place.group)
    if home.report_file.exists():
        home.check_report(plan, plan_of_home)
    plan = home.as_it_runs(plan)
    wait_for_stream(plan, home, batch.patience, say)
    check_backfill(plan, home, interval)
    with session(plan, place.master) as spark:
        say("Spark session started")
        home = Home.create(place.home, plan, plan_of_home, place.group)
        verifies = request.on_mismatch is not None
        by = Author.of_process(request.command)
        on_mismatch = request.on_mismatch or FAIL
        done = backfill_windows(spark, plan, home, interval, verifies, on_mismatch, say, by, request.unpin)
    windows = len({one.end for one in done.published})
    return BackfillSummary(plan.name, windows, done.notes, done.unread_files, done.unread_bytes, done.verdict)
