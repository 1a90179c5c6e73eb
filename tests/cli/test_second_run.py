"""A home that has a driver keeps it, unless somebody says otherwise; `status` and `stop` agree whether it has one."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from airflow_nrt.home.heartbeat import RUNNING, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.cli.conftest import Command
from tests.cli.place import FILES, furnish
from tests.cli.test_interruption import PATIENCE, in_session, started
from tests.launch.homes import beat, launch, lease


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose driver is this process."""
    home = Home.create(tmp_path / "home", load_report(furnish(tmp_path)))
    lease(home)
    beat(home, 1)
    return home


def test_a_second_run_is_refused(command: Command, home: Home) -> None:
    answer = command("run", home.path.parent / "curve.sql", "--home", home.path)
    assert (answer.status, answer.out) == (2, "")
    assert f"{home.path} has a driver: running on " in answer.err and f"process {os.getpid()}, epoch 1" in answer.err
    assert f"airflow-nrt stop --home {home.path}" in answer.err and "--take-over" in answer.err
    assert home.log().epoch() == 1


def test_also_beside_a_launch_that_begins(command: Command, home: Home) -> None:
    beat(home, 1, "stopped")
    launch(home, 7)
    answer = command("run", home.path.parent / "curve.sql", "--home", home.path)
    assert answer.status == 2 and "has a driver that begins: launch 7, by a test" in answer.err


@pytest.mark.process
@pytest.mark.parametrize("answer", ["n", "y"])
def test_at_a_terminal_it_asks(home: Home, answer: str) -> None:
    """The master is wrong, so that nothing starts where it goes on."""
    line = [sys.executable, "-m", "airflow_nrt.cli.main", "run", str(home.path.parent / "curve.sql")]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*line, "--home", str(home.path), "--master", "none"], stdin=theirs, stderr=theirs, stdout=subprocess.PIPE
    ) as process:
        os.close(theirs)
        told = b""
        while b"[y/N]" not in told:
            told += os.read(ours, 1000)
        os.write(ours, f"{answer}\n".encode())
        # A terminal that nobody holds any more ends with an error.
        with contextlib.suppress(OSError):
            while more := os.read(ours, 1000):
                told += more
    os.close(ours)
    assert process.returncode == 2
    assert ("take over with --take-over" if answer == "n" else "there is no Spark master 'none'") in told.decode()


@pytest.mark.process
@pytest.mark.slow
def test_taking_over_and_the_death_of_a_driver(command: Command, tmp_path: Path) -> None:
    report, home = furnish(tmp_path, files={"0.csv": FILES[0]}), tmp_path / "home"

    def running(epoch: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            beat = read_heartbeat(Home.at(home).heartbeats)
            if beat is not None and (beat.state, beat.epoch) == (RUNNING, epoch):
                return
            time.sleep(0.1)
        raise AssertionError(f"no driver of epoch {epoch}")

    with started("run", report, "--home", home) as first:
        running(1)
        with started("run", report, "--home", home, "--take-over") as second:
            running(2)
            assert first.wait(PATIENCE) != 0
            assert first.stderr is not None and "newer driver" in first.stderr.read()
            assert command("status", "--home", home).out.splitlines()[1].startswith("driver      running on ")
            for member in in_session(second.pid):
                member.kill()
            second.wait(PATIENCE)
            assert command("status", "--home", home).out.splitlines()[1].startswith("driver      died on ")
            assert command("stop", "--home", home).out == "no driver is running (the last one died)\n"
            # Its heartbeat is still fresh, and no second run is refused for it.
            beat = read_heartbeat(Home.open(home).heartbeats)
            assert beat is not None and not beat.is_over
            third = command("run", report, "--home", home, "--master", "none")
            assert third.status == 2 and "there is no Spark master 'none'" in third.err
