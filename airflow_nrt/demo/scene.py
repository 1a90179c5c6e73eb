"""The environment of the demonstration: a directory of its own, an Airflow, and child processes that end with it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.demo.endings import kill_all_with, undisturbed
from airflow_nrt.home.home import Home

LIVE, BACKFILL, REPAIR = DAGS = ("orders_curve", "orders_curve_backfill", "orders_curve_repair")


@dataclass(frozen=True)
class Scene:
    """`place` gets Airflow, the tables (`data`), the report's home and a copy of the DAGs out of `examples`."""

    place: Path
    examples: Path

    @property
    def data(self) -> Path:
        return self.place / "data"

    @property
    def table(self) -> Path:
        """The directory of the table that the report publishes."""
        return self.data / "orders_curve"

    @property
    def home(self) -> Home:
        return Home.at(self.place / "home")

    @property
    def dags(self) -> Path:
        return self.place / "dags"

    @property
    def report(self) -> Path:
        return self.dags / "reports" / "orders_curve.sql"

    @property
    def environment(self) -> dict[str, str]:
        shown = {"AIRFLOW__NRT__HOMES": str(self.place)}
        return {"ORDERS_DATA": str(self.data), "ORDERS_HOME": str(self.home.path), **shown, **self.mark}

    @property
    def mark(self) -> dict[str, str]:
        """The variable by which all processes of this demonstration are recognised, drivers among them."""
        return {"NRT_DEMO": str(self.place)}

    def child(self, command: list[str], **streams: Any) -> subprocess.Popen[str]:
        """A process of the demonstration. Ctrl-C in the terminal does not reach it: the demonstration ends it."""
        environment = {**os.environ, **self.environment}
        return subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, text=True, start_new_session=True, **streams
        )


@contextlib.contextmanager
def stage(scene: Scene) -> Iterator[AirflowProcesses]:
    """Airflow, running; afterwards the driver and Airflow are gone, unless Airflow was released."""
    (scene.data / "orders").mkdir(parents=True)
    scene.report.parent.mkdir(parents=True)
    # Only the DAGs of the demonstration, because Airflow parses each file of the directory again and again.
    for name in DAGS:
        shutil.copy(scene.examples / f"{name}.py", scene.dags)
    shutil.copy(scene.examples / "reports" / scene.report.name, scene.report)
    airflow = AirflowProcesses(scene.place / "airflow", scene.dags, scene.environment)
    try:
        airflow.start()
        for dag in DAGS:
            airflow.client.wait_for_dag(dag)
        yield airflow
    finally:
        with undisturbed():
            try:
                airflow.stop()
            finally:
                if not airflow.is_released:
                    kill_all_with(scene.mark)
