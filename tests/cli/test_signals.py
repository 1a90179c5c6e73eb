"""Signals to a driver's processes, one or all of them: it stops after its batch, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from airflow_nrt.engine import main
from airflow_nrt.engine.faults import VARIABLE
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.launch.spark import spark_environment
from tests.cli.place import furnish
from tests.cli.test_interruption import ended, in_session

pytestmark = [pytest.mark.slow, pytest.mark.process]
THOROUGH = pytest.mark.thorough
PATIENCE = 120
PYTHON = [sys.executable, "-m", "airflow_nrt.cli.main", "run"]
TIMEOUT = ["timeout", "600", *PYTHON]
SPARK_SUBMIT = [
    str(Path(sys.executable).with_name("spark-submit")),
    "--master",
    "local[1]",
    "--driver-memory",
    "512m",
    main.__file__,
    "--report",
]
IN_BATCH = "absorb-written"


class Driver:
    """A driver at a place, in a session of its own, which freezes at a fault point."""

    def __init__(self, process: subprocess.Popen[str], home: Path) -> None:
        self.process = process
        self.home = home

    def wait_until(self, state: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not state():
            assert time.monotonic() < deadline and self.process.poll() is None, "it did not get there"
            time.sleep(0.02)

    def named(self, name: str) -> psutil.Process | None:
        """Its Python (which is no `timeout`) or its Java."""
        for one in in_session(self.process.pid):
            try:
                if one.name().startswith(name) and (name != "java" or "-cp" in one.cmdline()):
                    return one
            except psutil.NoSuchProcess:
                continue
        return None

    def the(self, name: str) -> psutil.Process:
        process = self.named(name)
        assert process is not None
        return process

    def freeze(self) -> None:
        """Waits until its Python stands in the middle of a batch."""
        self.wait_until(lambda: (one := self.named("python")) and one.status() == psutil.STATUS_STOPPED)

    def end(self) -> tuple[int, str, str]:
        self.the("python").resume()
        return ended(self.process)

    def commits(self) -> int:
        return sum(isinstance(entry.body, Commit) for entry in Home.open(self.home).log().audit())

    def beat(self) -> tuple[str, str | None]:
        beat = read_heartbeat(Home.open(self.home).heartbeats)
        assert beat is not None
        return beat.state, beat.error


@contextmanager
def driver(place: Path, command: list[str], fault: str = f"stop:{IN_BATCH}") -> Iterator[Driver]:
    line = [*command, str(furnish(place)), "--home", str(place / "home")]
    if command is not SPARK_SUBMIT:
        line += ["--master", "local[1]", "--set", "spark.driver.memory=512m"]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, **spark_environment(), "PYSPARK_PYTHON": sys.executable, VARIABLE: fault},
        # Whoever runs the tests under `nohup` has it ignored, and a driver would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    ) as process:  # fmt: skip
        try:
            yield Driver(process, place / "home")
        finally:
            for member in in_session(process.pid):
                member.kill()


@pytest.mark.parametrize(
    ("number", "command"),
    [
        pytest.param(signal.SIGTERM, PYTHON, id="SIGTERM"),
        pytest.param(signal.SIGTERM, SPARK_SUBMIT, id="SIGTERM-spark-submit", marks=THOROUGH),
        pytest.param(signal.SIGINT, PYTHON, id="SIGINT", marks=THOROUGH),
        pytest.param(signal.SIGHUP, PYTHON, id="SIGHUP", marks=THOROUGH),
    ],
)
def test_a_signal_to_the_group_in_a_batch(tmp_path: Path, command: list[str], number: signal.Signals) -> None:
    with driver(tmp_path, command) as one:
        one.freeze()
        for _ in range(2):
            os.killpg(one.process.pid, number)
            time.sleep(0.5)
        status, out, err = one.end()
    assert status == 0, err
    assert (one.beat(), one.commits()) == (("stopped", None), 1)
    assert out.splitlines()[-1] == ("curve: stopped" if command is PYTHON else "airflow-nrt: curve stopped")
    assert "Traceback" not in err and "trying again" not in err


def test_timeout_which_signals_its_child_and_the_group(tmp_path: Path) -> None:
    with driver(tmp_path, TIMEOUT) as one:
        one.freeze()
        one.process.send_signal(signal.SIGTERM)
        status, out, err = one.end()
    assert (status, out) == (0, "curve: stopped\n"), err
    assert (one.beat(), one.commits()) == (("stopped", None), 1)


@pytest.mark.parametrize(
    "command", [pytest.param(PYTHON, id="python", marks=THOROUGH), pytest.param(SPARK_SUBMIT, id="spark-submit")]
)
def test_a_signal_to_java_alone(tmp_path: Path, command: list[str]) -> None:
    with driver(tmp_path, command) as one:
        one.freeze()
        one.the("java").terminate()
        status, _, err = one.end()
    assert status == 0, err
    assert (one.beat(), one.commits()) == (("stopped", None), 1)


@pytest.mark.parametrize(
    ("number", "seconds"),
    [
        (signal.SIGTERM, 0.0),
        (signal.SIGINT, 1.5),
        pytest.param(signal.SIGTERM, 2.5, marks=THOROUGH),
        pytest.param(signal.SIGINT, 0.0, marks=THOROUGH),
        pytest.param(signal.SIGTERM, 1.5, marks=THOROUGH),
        pytest.param(signal.SIGINT, 2.5, marks=THOROUGH),
    ],
)
def test_a_signal_to_the_group_while_spark_begins(tmp_path: Path, number: signal.Signals, seconds: float) -> None:
    with driver(tmp_path, PYTHON, "") as one:
        one.wait_until(lambda: one.named("java"))
        time.sleep(seconds)
        os.killpg(one.process.pid, number)
        status, out, err = ended(one.process)
    assert (status, out) == (0, "curve: stopped\n"), err
    assert "Traceback" not in err
    if (one.home / "heartbeats").exists():
        assert one.beat() == ("stopped", None)


def test_java_that_is_lost_after_the_signal(tmp_path: Path) -> None:
    """The batch is left: the next driver absorbs it."""
    with driver(tmp_path, PYTHON, "stop:absorb-begin") as one:
        one.freeze()
        one.the("python").terminate()
        one.the("java").kill()
        status, out, err = one.end()
    assert (status, out) == (0, "curve: stopped\n"), err
    assert (one.beat(), one.commits()) == (("stopped", None), 0)
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("command", "point"),
    [
        pytest.param(PYTHON, IN_BATCH, id="python"),
        pytest.param(SPARK_SUBMIT, IN_BATCH, id="spark-submit", marks=THOROUGH),
        pytest.param(PYTHON, "lease-before", id="python-before", marks=THOROUGH),
        pytest.param(SPARK_SUBMIT, "lease-before", id="spark-submit-before", marks=THOROUGH),
    ],
)
def test_a_python_that_is_killed_leaves_no_java(tmp_path: Path, command: list[str], point: str) -> None:
    with driver(tmp_path, command, f"kill:{point}") as one:
        assert ended(one.process)[0] != 0


@THOROUGH
def test_a_python_that_is_killed_while_spark_begins_leaves_no_java(tmp_path: Path) -> None:
    with driver(tmp_path, PYTHON, "") as one:
        one.wait_until(lambda: one.named("java"))
        one.the("python").kill()
        ended(one.process)
