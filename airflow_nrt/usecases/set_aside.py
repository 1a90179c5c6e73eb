"""A home whose table refuses a decided row goes on without it: it is named, and kept in the ledger."""

from __future__ import annotations

from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.publish.refused import refused_rows
from airflow_nrt.home.home import Home
from airflow_nrt.home.set_aside import set_aside, take_back
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.report import ReportInHome
from airflow_nrt.usecases.requests.set_aside import SetAsideRequest, SetAsideResult
from airflow_nrt.usecases.sessions import session


def set_aside_refused(request: SetAsideRequest, say: Progress) -> SetAsideResult:
    """Sets aside the rows that wait to be published, and that their table refuses.

    Raises InputError if the home is another report's, and UnreachableError if a server does not answer.
    """
    plan, home = _opened(request.place)
    with session(plan, request.place.master) as spark:
        say("Spark session started")
        rows = refused_rows(spark, home, plan, say)
    set_aside(home, rows)
    return SetAsideResult(tuple(rows))


def take_back_all(request: SetAsideRequest) -> SetAsideResult:
    """Forgets the rows that were set aside. A backfill of their windows writes them again. Raises as the other does."""
    _, home = _opened(request.place)
    return SetAsideResult(tuple(take_back(home)))


def _opened(place: ReportInHome) -> tuple[Plan, Home]:
    plan = plan_of(place.report)
    home = Home.open(place.home, place.group)
    home.check_report(plan, plan_of_home)
    return plan, home
