"""Runs a report's stream in this process until it ends, or until a signal stops it after its batch.

A home that has a driver is taken over only on demand. Airflow's tasks launch drivers by `engine/main.py`: they adopt a
running driver, and take over only from one that they have found lost.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from airflow_nrt.basics.errors import ChangedReportError, InputError, NrtError
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import TERMINAL, note_launch_failure
from airflow_nrt.launch.launch_records import pending_launch
from airflow_nrt.launch.living import living_driver
from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.run import RunRequest, RunResult


def run(
    request: RunRequest, agrees: Callable[[str], bool], watching: Callable[[Plan, Home], AbstractContextManager[None]]
) -> RunResult:
    """`agrees` is asked whether to take over from a driver, which it is given in words. The stream runs inside of
    `watching`, entered when all is checked that can be without Spark.

    Raises InputError, before anything starts, for a report that can't run here, and for a home with a driver.
    """
    from airflow_nrt.engine.driver.stopping import stop_signals

    place = request.place
    plan = plan_of(place.report)
    try:
        home = Home.checked(place.home, plan, plan_of_home, place.group)
    except ChangedReportError:
        if request.on_change is OnChange.FAIL:
            raise
        home = Home.open(place.home, place.group)
    if not request.take_over:
        _check_no_driver(home, agrees)
    # Whoever may not run here need not wait for these imports.
    from airflow_nrt.engine.main import check_start, checked_change, run_report

    checked_change(place.home, plan, place.group, request.on_change)
    check_start(plan, place.master)
    epoch = _epoch(home)
    try:
        with stop_signals() as stop, watching(plan, home):
            state = run_report(
                plan, place.home, stop, place.master, request.available_now, group=place.group,
                on_change=request.on_change,
            )  # fmt: skip
    except NrtError as wrong:
        # From its lease on, a driver leaves the cause in its heartbeat. A start that was withdrawn has left no home.
        if home.report_file.exists() and _epoch(home) == epoch:
            note_launch_failure(place.home, TERMINAL, wrong, place.group, plan.given)
        raise
    return RunResult(plan.name, state)


def _epoch(home: Home) -> int:
    return home.log().epoch() if home.report_file.exists() else 0


def _check_no_driver(home: Home, agrees: Callable[[str], bool]) -> None:
    """Raises InputError if the home has a driver, and nobody agrees to take over."""
    found = _driver_of(home) if home.report_file.exists() else None
    if found is None or agrees(found):
        return
    raise InputError(
        f"{found}: stop it first (airflow-nrt stop --home {home.path}), or take over with --take-over: from there on "
        "this driver counts, and the other ends"
    )


def _driver_of(home: Home) -> str | None:
    # The launch is read before the driver: one that begins in between is found as one or the other.
    launch = pending_launch(home)
    beat = living_driver(home)
    if beat is not None:
        return f"{home.path} has a driver: {beat.state} on {beat.host}, process {beat.pid}, epoch {beat.epoch}"
    return None if launch is None else f"{home.path} has a driver that begins: launch {launch.id}, by {launch.by}"
