"""The environment of the demonstration: a directory of its own, an Airflow, servers, and processes that end with it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.demo.children import Verification
from airflow_nrt.demo.endings import kill_all_with, undisturbed
from airflow_nrt.demo.sinks.sink import CurveSink
from airflow_nrt.demo.sources.source import OrdersSource
from airflow_nrt.home.home import Home

_SINK_BEGINS = "CREATE TABLE orders_curve ("
"""Where the half of an example report begins that belongs to its sink."""


@dataclass(frozen=True)
class Dags:
    """The three DAGs of an example report."""

    live: str

    @property
    def backfill(self) -> str:
        return f"{self.live}_backfill"

    @property
    def repair(self) -> str:
        return f"{self.live}_repair"

    @property
    def all(self) -> tuple[str, str, str]:
        return self.live, self.backfill, self.repair


@dataclass(frozen=True)
class Scene:
    """`place` gets Airflow, servers, tables (`data`), the report's home and a copy of the DAGs out of `examples`."""

    place: Path
    examples: Path
    source: OrdersSource
    sink: CurveSink

    @property
    def data(self) -> Path:
        return self.place / "data"

    @property
    def home(self) -> Home:
        return self.source.home

    @property
    def dags(self) -> Dags:
        return Dags(self.source.example)

    @property
    def dag_folder(self) -> Path:
        return self.place / "dags"

    @property
    def report(self) -> Path:
        return self.dag_folder / "reports" / f"{self.source.example}.sql"

    @property
    def settings(self) -> dict[str, str]:
        """What fills the report's placeholders."""
        return {**self.source.settings, **self.sink.settings}

    @property
    def environment(self) -> dict[str, str]:
        shown = {"ORDERS_DATA": str(self.data), "AIRFLOW__NRT__HOMES": str(self.place)}
        return {**shown, **self.source.environment, **self.sink.environment, **self.mark}

    @property
    def mark(self) -> dict[str, str]:
        """The variable by which all processes of this demonstration are recognised, drivers among them."""
        return {"NRT_DEMO": str(self.place)}

    def check(self) -> None:
        """Raises InputError for what this machine lacks, or if `examples` has not the DAGs."""
        missing = [name for name in self.dags.all if not (self.examples / f"{name}.py").exists()]
        if missing:
            raise InputError(
                f"{self.examples} has no {missing[0]}.py: give the directory of the example DAGs as --dags"
            )
        for endpoint in (self.source, self.sink):
            endpoint.check()

    def copy_examples(self) -> None:
        """Only the DAGs of the demonstration, because Airflow parses each file of the directory again and again.

        The report is the source's example with the table, and the query, of the sink's.
        """
        self.report.parent.mkdir(parents=True)
        for name in self.dags.all:
            shutil.copy(self.examples / f"{name}.py", self.dag_folder)
        of_source, of_sink = (
            (self.examples / "reports" / f"{endpoint.example}.sql").read_text().partition(_SINK_BEGINS)
            for endpoint in (self.source, self.sink)
        )
        self.report.write_text(of_source[0] + of_sink[1] + of_sink[2])

    def child(self, command: list[str], **streams: Any) -> subprocess.Popen[str]:
        """A process of the demonstration. Ctrl-C in the terminal does not reach it: the demonstration ends it."""
        # A command line would show the password of a database.
        environment = {**os.environ, **self.environment, "AIRFLOW_NRT_SETTINGS": json.dumps(self.settings)}
        streams = {"stdin": subprocess.DEVNULL, **streams}
        return subprocess.Popen(command, env=environment, text=True, start_new_session=True, **streams)

    @contextlib.contextmanager
    def verify(self, *arguments: str) -> Iterator[Verification]:
        """A verification of the report with these arguments, which runs meanwhile."""
        command = [
            sys.executable, "-m", "airflow_nrt.cli.main", "verify", str(self.report), "--home", str(self.home.path),
            "--master", "local[1]", "--json", *arguments,
        ]  # fmt: skip
        log = self.place / "verify.log"
        with log.open("a") as said:
            process = self.child(command, stdout=subprocess.PIPE, stderr=said)
        try:
            yield Verification(process, log)
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def stage(scene: Scene) -> Iterator[AirflowProcesses]:
    """Servers and Airflow, running; afterwards they and the driver are gone, unless Airflow was released."""
    scene.data.mkdir(parents=True)
    scene.copy_examples()
    airflow = AirflowProcesses(scene.place / "airflow", scene.dag_folder, scene.environment)
    try:
        for endpoint in (scene.source, scene.sink):
            endpoint.start(scene.mark)
        airflow.start()
        for dag in scene.dags.all:
            airflow.client.wait_for_dag(dag)
        yield airflow
    finally:
        with undisturbed():
            _end(scene, airflow)


def _end(scene: Scene, airflow: AirflowProcesses) -> None:
    try:
        airflow.stop()
        if not airflow.is_released:
            scene.sink.stop()
            scene.source.stop()
    finally:
        if not airflow.is_released:
            kill_all_with(scene.mark)
