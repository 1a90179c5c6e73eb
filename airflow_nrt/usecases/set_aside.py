"""Sets aside the rows that a sink refuses, so that a report whose results it refuses goes on in its home."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.publish.setting_aside import set_aside as take_out
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch.processes import driver_process
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.set_aside import RefusedResult, SetAsideRequest, SetAsideResult
from airflow_nrt.usecases.sessions import session


def set_aside(request: SetAsideRequest, say: Progress) -> SetAsideResult:
    """Raises InputError if a driver runs, or if the home is another report's."""
    place = request.place
    plan = plan_of(place.report)
    home = Home.open(place.home, place.group)
    home.check_report(plan, plan_of_home)
    beat = read_heartbeat(home.heartbeats)
    if beat is not None and not beat.is_over and not driver_process(beat).is_gone():
        raise InputError(f"a driver works in {home.path}: stop it first (airflow-nrt stop), or wait until it has ended")
    with session(plan, place.master) as spark:
        say("Spark session started")
        found = take_out(report_session(spark, plan), plan, home)
        rows = tuple(RefusedResult(one.entry, one.insert, one.reason, one.row) for one in found)
    return SetAsideResult(rows)
