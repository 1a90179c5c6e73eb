"""A driver whose Java runs out of memory: said as such, with the way out, and left to whoever restarts it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from airflow_nrt.basics.errors import SurroundingsError
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.failures.root_cause import Thrown
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.store.posix import posix_path
from airflow_nrt.triggers.driver_health import BROKEN, DriverWatch, Observation

REPORT = """
CREATE TABLE given (id INT, text STRING) WITH ('connector' = 'filesystem', 'path' = 'given', 'format' = 'csv');
CREATE TABLE told (id INT, letters INT) WITH ('connector' = 'filesystem', 'path' = 'told', 'format' = 'json');
INSERT INTO told SELECT id, CHAR_LENGTH(REPEAT(text, 1500000000)) FROM given;
"""


@pytest.mark.process
def test_a_row_that_takes_all_memory(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "0.csv").write_text("1,x\n")
    (tmp_path / "report.sql").write_text(REPORT)
    home = tmp_path / "home"
    memory = ("--master", "local[1]", "--set", "spark.driver.memory=512m", "--available-now")
    line = ["-m", "airflow_nrt.engine.main", "--report", str(tmp_path / "report.sql"), "--home", str(home), *memory]
    ended = subprocess.run([sys.executable, *line], capture_output=True, text=True, env={**os.environ})
    beat = read_heartbeat(posix_path(home) / "heartbeats")
    assert beat is not None, ended.stderr
    assert (beat.state, beat.final) == ("failed", False)
    assert (beat.error or "").startswith("Java ran out of memory: raise spark.driver.memory, lower ")
    assert f"airflow-nrt: {beat.error}" in ended.stderr
    judged = DriverWatch().judge(Observation(beat), 0.0)
    assert judged is not None and (judged.kind, judged.final, judged.why) == (BROKEN, False, beat.error)


class Ended:
    """A process of Java that is gone."""

    def __init__(self, status: int) -> None:
        self.status = status

    def poll(self) -> int:
        return self.status

    def wait(self, timeout: float) -> int:
        return self.status


class Gateway:
    def __init__(self, proc: Any) -> None:
        self.proc = proc


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (3, "Java ran out of memory: raise spark.driver.memory, lower"),
        (52, "Java ran out of memory: raise spark.driver.memory, lower"),
        (-9, "Java has ended with status -9, as Linux ends what takes more memory than its host or container has: "),
        (None, "Java has ended. If the driver's log says java.lang.OutOfMemoryError: raise spark.driver.memory, lower"),
    ],
)
def test_a_closed_connection(monkeypatch: pytest.MonkeyPatch, status: int | None, said: str) -> None:
    """What Python meets when Java has ended; None is a Java that spark-submit has started."""
    monkeypatch.setattr(SparkContext, "_gateway", Gateway(None if status is None else Ended(status)))
    meaning = explained(ConnectionRefusedError(111, "Connection refused"))
    assert isinstance(meaning, SurroundingsError) and meaning.passes
    assert str(meaning).startswith(said)


def test_an_error_of_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Java goes on; the file that was read meanwhile is not at fault."""
    unread = Thrown("org.apache.spark.SparkException", "file:///a.csv", "FAILED_READ_FILE.NO_HINT")
    starved = Thrown("org.apache.spark.memory.SparkOutOfMemoryError", "Unable to acquire 65536 bytes")
    monkeypatch.setattr("airflow_nrt.engine.failures.failures.chain_of", lambda failure: (unread, starved))
    meaning = explained(RuntimeError())
    assert isinstance(meaning, SurroundingsError)
    assert str(meaning).startswith("Java ran out of memory: raise spark.driver.memory")
