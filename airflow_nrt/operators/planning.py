"""The facts of a task's report, from another process. No task imports code of the report's authors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airflow_nrt.usecases.asking import Inquiry, answered
from airflow_nrt.usecases.requests.facts import FactsRequest, LineageRequest, PlannedReport
from airflow_nrt.usecases.requests.report import ReportRequest

if TYPE_CHECKING:
    from airflow_nrt.describe.lineage import Lineage

PLANNING_SECONDS = 120.0


@dataclass(frozen=True)
class Planner:
    """Has a script or a program planned within `seconds`, by a process with these variables of the `environment`.

    Each line that the report prints meanwhile goes to `say`.
    """

    environment: Mapping[str, str]
    seconds: float = PLANNING_SECONDS
    say: Callable[[str], None] = print

    def facts(self, request: FactsRequest) -> PlannedReport:
        """Raises what `load_report` and `Home.create` raise, and as `ask` does."""
        return answered(request, PlannedReport, self._inquiry(request.report), self.environment)

    def lineage(self, request: LineageRequest) -> Lineage:
        """Raises as `facts` does."""
        from airflow_nrt.describe.lineage import Lineage

        return answered(request, Lineage, self._inquiry(request.report), self.environment)

    def _inquiry(self, report: ReportRequest) -> Inquiry:
        way_out = "give the task a longer `planning_timeout`"
        return Inquiry(f"the report {report.report}", self.seconds, way_out, self.say)
