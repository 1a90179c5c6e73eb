"""A home is given up: its tables can be another home's, and it is gone. The rows of its tables stay."""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.batch.progress import Progress
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.removal import check_contents, close, is_closed, remove
from airflow_nrt.launch.launch_records import pending_launch
from airflow_nrt.launch.living import living_driver, living_status
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.requests.forget import ForgetRequest, ForgetResult
from airflow_nrt.usecases.sessions import session


def forget(request: ForgetRequest, say: Progress) -> ForgetResult:
    """Shows what a home has, and removes it with its claims on tables, if that is meant.

    It may be called again after it was killed. Raises InputError if a driver works in the home, or if its report can't
    be planned, and UnreachableError if the server of a table does not answer.
    """
    home = Home.open(request.home, request.group)
    check_contents(home)
    found = _removed_half(home) if is_closed(home) else _shown(home)
    if not request.is_meant:
        return found
    if not is_closed(home) and (living_driver(home) is not None or pending_launch(home) is not None):
        raise InputError(f"a driver works in {home.path}: stop it first (`airflow-nrt stop --home {home.path}`)")
    plan = plan_of_home(home, request.settings)
    close(home)
    reach("forget-closed")
    _release(plan, home, request.master, say)
    reach("forget-released")
    remove(home)
    return replace(found, is_removed=True)


def _shown(home: Home) -> ForgetResult:
    status, outline = living_status(home), home.outline()
    tables = {one.name: one.directory for one in outline.inserts} if outline is not None else {}
    return ForgetResult(
        status.report, str(home.path), status.driver, status.entry + 1, status.windows, _size(home), tables
    )


def _removed_half(home: Home) -> ForgetResult:
    """Whoever was removing it was killed."""
    return ForgetResult(home.identity().name, str(home.path), "none", 0, 0, _size(home), {})


def _size(home: Home) -> int:
    return sum(path.lstat().st_size for path in home.path.rglob("*"))


def _release(plan: Plan, home: Home, master: str, say: Progress) -> None:
    sinks = [(sink_of(insert), insert) for insert in plan.written]
    for sink, insert in sinks:
        if not sink.needs_session:
            sink.release(None, home, insert)
    if any(sink.needs_session for sink, _ in sinks):
        with session(plan, master) as spark:
            say("Spark session started")
            for sink, insert in sinks:
                if sink.needs_session:
                    sink.release(spark, home, insert)
