"""What Spark says at every start is left out of standard error; whatever else comes from Java is there."""

from __future__ import annotations

import subprocess
import sys

import pytest
from pyspark import SparkContext

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.java.quiet_java import QuietJava

pytestmark = pytest.mark.process

START = """WARNING: Using incubator modules: jdk.incubator.vector
Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties
Setting default log level to "WARN".
To adjust logging level use sc.setLogLevel(newLevel). For SparkR, use setLogLevel(newLevel).
26/11/29 17:42:28 WARN NativeCodeLoader: Unable to load native-hadoop library for your platform
"""
ERROR = """26/11/29 17:42:28 ERROR SparkContext: Error initializing SparkContext.
java.lang.IllegalStateException: no disk
\tat org.apache.spark.Here.there(Here.scala:1)
"""


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkContext, "_gateway", None)


def java(says: str, later: str = "") -> subprocess.Popen[str]:
    """A process that says something now, and something else when it is asked to end."""
    script = "import sys; print(sys.argv[1], end='', file=sys.stderr, flush=True); print(flush=True); "
    script += "input(); print(sys.argv[2], end='', file=sys.stderr)"
    process = subprocess.Popen(
        [sys.executable, "-c", script, says, later], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_a_start_says_nothing_and_errors_are_shown(capfd: pytest.CaptureFixture[str]) -> None:
    output = QuietJava()
    with output.starting():
        process = java(START + ERROR, "printed by a Python function\n")
    process.communicate("\n")
    output.ended()
    print("this process", file=sys.stderr)
    assert capfd.readouterr().err == f"{ERROR}printed by a Python function\nthis process\n"


def test_what_comes_after_the_end_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    output = QuietJava()
    with output.starting():
        process = java("", "java.util.concurrent.RejectedExecutionException: shutting down\n")
    output.ended()
    process.communicate("\n")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("failure", "shown"), [(InputError("no such master"), ""), (RuntimeError("?"), START)])
def test_a_start_that_fails_for_an_unknown_reason_shows_all(
    capfd: pytest.CaptureFixture[str], failure: Exception, shown: str
) -> None:
    with pytest.raises(type(failure)), QuietJava().starting():
        java(START).communicate("\n")
        raise failure
    assert capfd.readouterr().err == shown
