"""The facts that a task knows of its report, and its lineage, in the process that may import it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import ChangedReportError, NrtError
from airflow_nrt.describe.lineage import Lineage, lineage_of
from airflow_nrt.model.options.known import TIME_ZONE
from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.model.plan import Plan
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.facts import FactsRequest, LineageRequest, PlannedReport

if TYPE_CHECKING:
    from airflow_nrt.home.home import Home


def facts(request: FactsRequest) -> PlannedReport:
    """Raises what `load_report` and `Home.create` raise."""
    plan = plan_of(request.report)
    base = plan.base if plan.built is None else str(plan.built.base)
    found = PlannedReport(plan.name, plan.ends, base, clock_of(plan), tuple(plan.jars))
    return found if request.home is None else _in_home(request.home, request, plan, found)


def _in_home(location: str, request: FactsRequest, plan: Plan, found: PlannedReport) -> PlannedReport:
    from airflow_nrt.home.home import Home
    from airflow_nrt.table.reports.load import plan_of_home

    try:
        Home.create(location, plan, plan_of_home, request.group)
        return found
    except ChangedReportError:
        home = Home.open(location, request.group)
        _say_what_changes(home, plan)
        if request.on_change is OnChange.FAIL:
            raise
    from airflow_nrt.engine.rebuild import change_of
    from airflow_nrt.home.next_generation import is_begun_for

    change = change_of(home, plan, plan_of_home)
    jars = tuple(dict.fromkeys((*plan.jars, *change.made_for.jars)))
    return replace(found, jars=jars, is_changed=True, is_begun=is_begun_for(home, plan, plan_of_home))


def _say_what_changes(home: Home, plan: Plan) -> None:
    """What this process prints goes into the log of the task, whose error names the inserts that differ."""
    from airflow_nrt.usecases.changes import changes_in

    with suppress(NrtError):
        print("\n".join(changes_in(home, plan).lines))


def clock_of(plan: Plan) -> str | None:
    """The zone of the report's clock, if it sets one, or if its windows are on instants or processing time.

    None if rowtimes have no zone: they are on the clock of their writer.
    """
    own = plan.setting(TIME_ZONE)
    timed = (source.table for source in plan.sources if source.table.watermark is not None)
    if own is not None or plan.waits_for_clock or any(table.rowtime_type.name == "TIMESTAMP_LTZ" for table in timed):
        return own or "UTC"
    return None


def lineage(request: LineageRequest) -> Lineage:
    """Raises as `load_report`."""
    return lineage_of(plan_of(request.report))
