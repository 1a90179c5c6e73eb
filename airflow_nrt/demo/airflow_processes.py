"""A whole Airflow in four processes of its own: SQLite, LocalExecutor, one directory, one free port of 127.0.0.1.

    with AirflowProcesses(Path("airflow"), Path("dags")) as airflow:
        airflow.client.trigger("orders_curve", "first")

Its one user, `admin`, has a password that is made anew each time: other users of this host reach the port, too.

Each process has a session of its own and is stopped by its handle. Drivers that tasks have launched are not children of
Airflow: they live on until they are stopped.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO

import psutil  # type: ignore[import-untyped]

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.demo.airflow_client import AirflowClient
from airflow_nrt.demo.servers.ports import free_port
from airflow_nrt.files.private_files import write_private

API_SERVER, SCHEDULER, DAG_PROCESSOR, TRIGGERER = PROCESSES = ("api-server", "scheduler", "dag-processor", "triggerer")
USER = "admin"
_GRACE_SECONDS = 15.0


class AirflowProcesses:
    """`home` gets the database and the logs (`home/<process>.log`); `environment` wins over the settings made here."""

    def __init__(self, home: Path, dags: Path, environment: Mapping[str, str] | None = None) -> None:
        self.home = home.absolute()
        self.dags = dags.absolute()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.password = secrets.token_urlsafe(16)
        self.environment = {**self._settings(), **(environment or {})}
        self.client = AirflowClient(self.url)
        self.is_released = False
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> AirflowProcesses:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def start(self, timeout: float = 180) -> None:
        """Creates the database, starts all processes, waits until each reports that it is healthy, and signs in.

        Raises NrtError with the end of a log if one is not.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        write_private(self._passwords, json.dumps({USER: self.password}).encode())
        with self._log("migrate") as log:
            done = subprocess.run(
                [sys.executable, "-m", "airflow", "db", "migrate"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False,
            )  # fmt: skip
        if done.returncode:
            raise NrtError(f"Airflow could not make its database:\n{self.log_tail('migrate')}")
        for name in PROCESSES:
            self.launch(name)
        self.wait_until_healthy(timeout)
        self.client.sign_in(USER, self.password)

    def launch(self, name: str) -> None:
        """Starts one of the four processes."""
        with self._log(name) as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, "-m", "airflow", name],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def wait_until_healthy(self, timeout: float = 180) -> None:
        """Raises NrtError if a process ends, or if one is not healthy in time."""
        deadline = time.monotonic() + timeout
        while not self.client.is_healthy():
            for name, process in self._running.items():
                if process.poll() is not None:
                    raise NrtError(f"Airflow's {name} ended with {process.returncode}:\n{self.log_tail(name)}")
            if time.monotonic() > deadline:
                tails = "\n".join(f"{name}:\n{self.log_tail(name, 5)}" for name in PROCESSES)
                raise NrtError(f"Airflow is not healthy after {timeout:g} s; the ends of its logs:\n{tails}")
            time.sleep(0.5)

    def pid(self, name: str) -> int:
        """The process id of one of the four, which is also the id of its session."""
        return self._running[name].pid

    def end(self, name: str, number: signal.Signals = signal.SIGTERM) -> None:
        """Sends one process this signal and waits until nothing of its session is left."""
        process = self._running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        _wait_or_kill([process])

    def stop(self) -> None:
        """Ends all processes; none is left."""
        processes = list(self._running.values())
        self._running.clear()
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        _wait_or_kill(processes)

    def release(self) -> list[int]:
        """Lets all processes live on without this object; returns their ids, each to be ended by SIGTERM."""
        pids = [process.pid for process in self._running.values()]
        self._running.clear()
        self.is_released = True
        return pids

    def log_tail(self, name: str, lines: int = 30) -> str:
        """The end of a process's log."""
        path = self.home / f"{name}.log"
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else ""

    @property
    def _passwords(self) -> Path:
        return self.home / "passwords.json"

    def _log(self, name: str) -> IO[bytes]:
        return (self.home / f"{name}.log").open("ab")

    def _settings(self) -> dict[str, str]:
        inherited = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("AIRFLOW__") and key != "PYTHONDONTWRITEBYTECODE"
        }
        # Its processes talk to each other, not through the proxy that leads out of this host.
        for name in ("NO_PROXY", "no_proxy"):
            inherited[name] = ",".join(filter(None, (inherited.get(name), "127.0.0.1,localhost")))
        return {
            **inherited,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "AIRFLOW_HOME": str(self.home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(self.dags),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
            "AIRFLOW__CORE__PARALLELISM": "4",
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "False",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{USER}:admin",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(self._passwords),
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{self.url}/execution/",
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{self.home}/airflow.db",
            "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(self.home / "logs"),
            "AIRFLOW__API__HOST": "127.0.0.1",
            "AIRFLOW__API__PORT": str(self.port),
            "AIRFLOW__API__WORKERS": "1",
            "AIRFLOW__API__BASE_URL": self.url,
            "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(32),
            "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "1",
            "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "5",
            "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "5",
            "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
        }


def _wait_or_kill(processes: list[subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + _GRACE_SECONDS
    for process in processes:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.1, deadline - time.monotonic()))
        for pid in _session(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()


def _session(leader: int) -> list[int]:
    """Processes of the session that this process leads."""
    members = []
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(pid) == leader:
                members.append(pid)
    return members
