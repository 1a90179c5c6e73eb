"""Shared code of tasks that run a command of `airflow-nrt` over one report, in a Spark of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_nrt.home.log.authors import OF_TASKS
from airflow_nrt.operators.command import Command, Outcome
from airflow_nrt.operators.common import NrtBaseOperator
from airflow_nrt.usecases.requests.report import CommandRequest, ReportInHome

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_nrt.usecases.requests.facts import PlannedReport


class NrtCommandOperator(NrtBaseOperator):
    """Runs a command in the worker, in Spark's client mode."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._command: Command | None = None

    def report_in_home(self, context: Context, planned: PlannedReport) -> ReportInHome:
        """Where the report works, for a request; the task shows its home from now on. Raises InputError."""
        cluster = self.hook.cluster()
        home = self.hook.home(self.home, planned.name)
        self.show_home(context, home)
        report = self.report_request()
        packages = {"spark.jars.packages": cluster.packages} if cluster.packages else {}
        values = {**(cluster.conf or {}), **dict(report.settings.values), **packages}
        settings = replace(report.settings, values=tuple(sorted(values.items())))
        report = replace(report, settings=settings, base=Path(planned.base))
        return ReportInHome(report, str(home.path), home.group, cluster.master)

    def run_child(self, request: CommandRequest) -> Outcome:
        """Runs the command of the request. Raises InputError, NrtError."""
        self._command = Command(
            [request.command, *request.arguments()],
            lambda line: self.log.info("%s", line),
            request.place.report.settings,
            (*self.hook.cluster().environment, *OF_TASKS),
        )
        return self._command.run()

    def on_kill(self) -> None:
        if self._command is not None:
            self._command.kill()
