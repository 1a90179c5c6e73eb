"""Verifies what a report has published, and the archives that it writes."""

from __future__ import annotations

from airflow_nrt.describe.archive_verdict import ArchiveVerdict
from airflow_nrt.describe.verdict import Verdict
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.verify.against_topic import verify_archives as compare_archives
from airflow_nrt.engine.verify.interval import EVERYTHING, Interval, check_interval
from airflow_nrt.engine.verify.verify import verify as compare_windows
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of, time_of
from airflow_nrt.usecases.requests.report import ReportInHome
from airflow_nrt.usecases.requests.verify import VerifyArchivesRequest, VerifyRequest
from airflow_nrt.usecases.sessions import session
from airflow_nrt.usecases.waiting import wait_for_stream


def verify(request: VerifyRequest, say: Progress) -> Verdict:
    """Compares complete windows of the interval with the batch result; the home keeps the verdict.

    Raises InputError, before Spark starts, if there is nothing to verify; NotReadError.
    """
    plan = plan_of(request.place.report)
    interval = Interval(time_of(request.batch.start, plan), time_of(request.batch.end, plan))
    home, plan = _ready(plan, request.place, request.batch.patience, interval, say)
    with session(plan, request.place.master) as spark:
        say("Spark session started")
        return compare_windows(spark, plan, home, interval, request.published, say)


def verify_archives(request: VerifyArchivesRequest, say: Progress) -> list[ArchiveVerdict]:
    """Raises InputError if the report writes no archive of a topic; NotReadError."""
    plan = plan_of(request.place.report)
    home, plan = _ready(plan, request.place, request.patience, EVERYTHING, say)
    with session(plan, request.place.master) as spark:
        say("Spark session started")
        return compare_archives(spark, plan, home)


def _ready(plan: Plan, place: ReportInHome, patience: int, interval: Interval, say: Progress) -> tuple[Home, Plan]:
    """The home of this report, when its stream has read what has arrived, and the plan as it runs there."""
    home = Home.open(place.home, place.group)
    home.check_report(plan, plan_of_home)
    plan = home.as_it_runs(plan)
    wait_for_stream(plan, home, patience, say)
    check_interval(plan, history_of(home.log(), plan), interval)
    return home, plan
