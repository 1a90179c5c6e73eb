"""What a test of the whole does and asks: DAG runs, drivers, homes."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import signal
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.demo.airflow_client import AirflowClient, wait_until
from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch.living import kill_driver, living_driver
from tests.notifications.hook import WebHook


@dataclass
class Lab:
    """An Airflow, the directory with its DAGs, data and homes, and the web hook that it warns."""

    processes: AirflowProcesses
    root: Path
    hook: WebHook
    _numbers: itertools.count = field(default_factory=itertools.count)

    @property
    def client(self) -> AirflowClient:
        return self.processes.client

    @property
    def data(self) -> Path:
        return self.root / "data"

    def home(self, name: str) -> Home:
        return Home.at(self.root / "homes" / name)

    def run(self, dag_id: str, at: Home, **conf: str) -> str:
        """Triggers a run of one of the DAGs in `files`."""
        self.client.wait_for_dag(dag_id)
        run_id = f"run-{next(self._numbers)}"
        data = self.root / f"data-{at.path.name}"
        if not data.exists():
            shutil.copytree(self.data / "orders", data / "orders")
        return self.client.trigger(dag_id, run_id, {"home": at.path.name, "data": str(data), **conf})

    def wait_until_watched(self, dag_id: str, run_id: str, task_id: str) -> None:
        """Until a triggerer has the task: who gives it up before is not noticed."""
        self.client.wait_for_task(dag_id, run_id, task_id, "deferred")
        wait_until(lambda: bool(self.client.task(dag_id, run_id, task_id)["triggerer_job"]), 60, "a triggerer")
        time.sleep(3)

    def page(self, path: str, body: Mapping[str, str] | None = None) -> Any:
        """What the page answers, below `/nrt`; with a body that is a change, as its buttons send it."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-NRT-Action": "1", "Origin": self.processes.url}
        headers["Authorization"] = f"Bearer {self.client.token}"
        asked = urllib.request.Request(f"{self.processes.url}/nrt/{path}", data, headers)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked, timeout=60) as answer:
            return json.load(answer)

    def put_down_all(self) -> None:
        for path in (self.root / "homes").iterdir():
            with contextlib.suppress(NrtError):
                home = Home.open(path)
                beat = read_heartbeat(home.heartbeats)
                if beat is not None and not beat.is_over:
                    kill_driver(home, beat)


def driver_of(home: Home, timeout: float = 120) -> Heartbeat:
    """The driver that runs this home, once one does."""
    wait_until(lambda: home.report_file.exists() and living_driver(home) is not None, timeout, "a driver")
    beat = living_driver(home)
    assert beat is not None
    return beat


def wait_for_end(home: Home, epoch: int, timeout: float = 180) -> str:
    """The state that the driver of this epoch ends in."""
    wait_until(lambda: _beat(home).is_over or _beat(home).epoch > epoch, timeout, f"the end of epoch {epoch}")
    return _beat(home).state


def leases(home: Home) -> int:
    """How many drivers ever held this home."""
    return sum(entry.kind == "lease" for entry in home.log().audit())


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def parent_of(pid: int) -> int:
    return psutil.Process(pid).ppid()


def _beat(home: Home) -> Heartbeat:
    beat = read_heartbeat(home.heartbeats)
    assert beat is not None
    return beat
