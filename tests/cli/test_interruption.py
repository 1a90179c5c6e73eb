"""Ctrl-C and `stop` against real processes: how they end, what they say, and that nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import Status, read_status
from tests.cli.conftest import Command
from tests.cli.place import furnish

pytestmark = [pytest.mark.slow, pytest.mark.process]
PATIENCE = 120


@contextmanager
def started(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """`airflow-nrt` with a terminal's process group of its own; killed in the end with all that it started."""
    line = [sys.executable, "-m", "airflow_nrt.cli.main", *map(str, arguments), "--master", "local[2]"]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            for member in in_session(process.pid):
                member.kill()


def in_session(leader: int) -> list[psutil.Process]:
    """What lives in the session of this process."""
    members = []
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                members.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return members


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit status and output, once nothing of its session lives."""
    out, err = process.communicate(timeout=PATIENCE)
    psutil.wait_procs(in_session(process.pid), timeout=10)
    assert in_session(process.pid) == []
    return process.returncode, out, err


def status_with_windows(home: Path, windows: int) -> Status:
    """The status of a home, once a driver runs it that has published so many."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            status = read_status(Home.open(home))
            if status.driver == "running" and status.windows >= windows:
                return status
        except NrtError:
            pass
        time.sleep(0.2)
    raise AssertionError("no driver has published windows in time")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report whose source is unbounded, and its home: the tests below share them, in their order."""
    place = tmp_path_factory.mktemp("interrupted")
    furnish(place)
    return place


def test_stop_of_a_driver_that_runs(command: Command, place: Path) -> None:
    with started("run", place / "curve.sql", "--home", place / "home") as process:
        status_with_windows(place / "home", 6)
        shown = command("show", "--home", place / "home")
        assert "driver running, epoch 1 · 6 windows published" in shown.out
        answer = command("stop", "--home", place / "home")
        assert (answer.status, answer.out) == (0, "the driver of epoch 1 stopped\n")
        status, out, err = ended(process)
    assert (status, out) == (0, "curve: stopped\n"), err


def test_ctrl_c_stops_a_driver(place: Path) -> None:
    with started("run", place / "curve.sql", "--home", place / "home") as process:
        status_with_windows(place / "home", 6)
        os.killpg(process.pid, signal.SIGINT)
        status, out, err = ended(process)
    assert (status, out) == (0, "curve: stopped\n"), err
    assert "Traceback" not in err
    assert read_status(Home.open(place / "home")).driver == "stopped"


def test_ctrl_c_ends_a_verification(place: Path) -> None:
    with started("verify", place / "curve.sql", "--home", place / "home") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Spark session started" in line:
                break
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        status, out, err = ended(process)
    assert (status, out) == (130, "")
    assert err.endswith("airflow-nrt: interrupted\n") and "Traceback" not in err
