"""Homes for tests of supervision, written with the product's own classes, without Spark."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from airflow_nrt.files.process_start import ProcessStart
from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, now_ms, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease, OperatorState, Position, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.launch.launch_records import Launch, put_launch
from airflow_nrt.launch.processes import ProcessMark
from airflow_nrt.sql.load import load_report

REPORT = Path(__file__).parents[2] / "dags" / "reports" / "orders_curve.sql"
HOST = socket.gethostname()


def new_home(path: Path) -> Home:
    return Home.create(path / "home", load_report(REPORT, {"DATA": str(path)}))


def lease(home: Home) -> Writer:
    return Writer.begin(home.log(), Lease(HOST, os.getpid(), "app"))


def fire(home: Home, writer: Writer, *ends: int | None) -> int:
    """A tick after which the operators have fired up to these ends; gives its number."""
    operators = {f"operator{n}": OperatorState(watermark=end, fired=end) for n, end in enumerate(ends)}
    return writer.append(Tick((), now_ms(), Position(operators=operators))).n


def beat(home: Home, epoch: int, state: str = RUNNING, **fields: object) -> None:
    known = {"host": HOST, "pid": os.getpid(), "started": now_ms(), "application": "app", **fields}
    known.setdefault("process_start", _start(known["host"], known["pid"]))
    write_heartbeat(home.heartbeats, Heartbeat(state, epoch, **known))  # type: ignore[arg-type]


def launch(home: Home, number: int, pid: int | None = None, host: str = HOST, patience: int = 60_000) -> Launch:
    mark = ProcessMark(host, pid or os.getpid(), _start(host, pid or os.getpid()))
    record = Launch(number, mark, now_ms(), patience, "a test")
    assert put_launch(home, record)
    return record


def hanging_driver(home: Home, launch: str = "") -> subprocess.Popen[bytes]:
    """A process with the command line of a driver, which does nothing until its standard input is closed."""
    line = ["--launch", launch] if launch else ["run"]
    words = [sys.executable, "-c", "input()", *line, "--home", str(home.path)]
    return with_command_line(subprocess.Popen(words, stdin=subprocess.PIPE))


def with_command_line(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """The process, once others can read its command line.

    `Popen` returns when the kernel closes the files of the old program, shortly before it sets the words of the new.
    """
    while process.poll() is None and not Path(f"/proc/{process.pid}/cmdline").read_bytes():
        time.sleep(0.001)
    return process


def _start(host: object, pid: object) -> ProcessStart | None:
    return ProcessStart.of(pid) if host == HOST and isinstance(pid, int) else None
