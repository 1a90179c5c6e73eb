"""The facts of a task's report, from another process. No task imports code of the report's authors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.usecases.asking import Inquiry, answered
from airflow_nrt.usecases.requests.planned import FactsRequest, LineageRequest, PlannedReport
from airflow_nrt.usecases.requests.report import ReportRequest

if TYPE_CHECKING:
    from airflow_nrt.describe.lineage import Lineage
    from airflow_nrt.home.home import Home
    from airflow_nrt.model.options.settings import Settings

PLANNING_SECONDS = 120.0


def plan_in_process(
    report: str,
    settings: Settings,
    environment: Mapping[str, str],
    base: Path | None = None,
    home: Home | None = None,
    seconds: float = PLANNING_SECONDS,
    say: Callable[[str], None] = print,
) -> PlannedReport:
    """Plans a script or a program (see `load_report`). With `home`, the home is created if it is missing.

    Raises what `load_report` and `Home.create` raise, and as `ask` does.
    """
    asked = ReportRequest(report, settings, base)
    request = FactsRequest(asked) if home is None else FactsRequest(asked, str(home.path), home.group)
    return answered(request, PlannedReport, _inquiry(report, seconds, say), environment)


def trace_apart(
    report: str,
    settings: Settings,
    environment: Mapping[str, str],
    base: Path | None = None,
    seconds: float = PLANNING_SECONDS,
    say: Callable[[str], None] = print,
) -> Lineage:
    """The lineage of a script or a program, column by column. Raises as `plan_in_process` does."""
    from airflow_nrt.describe.lineage import Lineage

    request = LineageRequest(ReportRequest(report, settings, base))
    return answered(request, Lineage, _inquiry(report, seconds, say), environment)


def _inquiry(report: str, seconds: float, say: Callable[[str], None]) -> Inquiry:
    return Inquiry(f"the report {report}", seconds, "give the task a longer `planning_timeout`", say)
