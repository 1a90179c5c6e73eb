"""Shared code of tasks that run a command of `airflow-nrt` over one report, in a Spark of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from airflow_nrt.operators.command import Command, Outcome
from airflow_nrt.operators.common import NrtBaseOperator

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_nrt.operators.planning import PlannedReport


class NrtCommandOperator(NrtBaseOperator):
    """Runs a command in the worker, in Spark's client mode."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._command: Command | None = None

    def run_child(self, context: Context, name: str, planned: PlannedReport, *options: str) -> Outcome:
        """Runs `airflow-nrt NAME` over the report. Raises InputError, NrtError."""
        cluster = self.hook.cluster()
        home = self.hook.home(self.home, planned.name)
        self.show_home(context, home)
        arguments = [
            name,
            str(self.program() or self.report_file()),
            "--base",
            planned.base,
            "--home",
            str(home.path),
            "--master",
            cluster.master,
            "--json",
        ]
        if home.group is not None:
            arguments += ["--group", home.group]
        given = self.report_settings()
        packages = {"spark.jars.packages": cluster.packages} if cluster.packages else {}
        values = {**(cluster.conf or {}), **dict(given.values), **packages}
        settings = replace(given, values=tuple(sorted(values.items())))
        arguments += options
        self._command = Command(arguments, lambda line: self.log.info("%s", line), settings, cluster.environment)
        return self._command.run()

    def on_kill(self) -> None:
        if self._command is not None:
            self._command.kill()
