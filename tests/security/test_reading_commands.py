"""Whoever reads a home runs nothing of its report: whose code that is, the home does not say."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from airflow_nrt.home.home import Home
from airflow_nrt.launch.driver_environment import needed_environment
from airflow_nrt.operators.planning import Planner
from airflow_nrt.sql.load import load_report
from airflow_nrt.usecases.requests.facts import FactsRequest
from airflow_nrt.usecases.requests.report import ReportRequest
from tests.cli.conftest import Command, command_line
from tests.security.hostile import NOTES_ITS_PROCESS, PLAIN, hostile

READING = {
    "show": ("show",),
    "windows": ("windows",),
    "changelog": ("changelog",),
    "changelog of rows": ("changelog", "--rows"),
    "late": ("late",),
    "status": ("status",),
}
KINDS = ("program", "sql")


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process, which may start others."""
    return command_line(capsys)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """Is there as soon as a module of the report was imported."""
    return tmp_path / "imported"


@pytest.fixture(params=KINDS)
def report(request: pytest.FixtureRequest, tmp_path: Path, marker: Path) -> Path:
    return hostile(tmp_path / "dags", request.param, NOTES_ITS_PROCESS.format(marker=str(marker)))


@pytest.fixture
def home(report: Path, tmp_path: Path, marker: Path) -> Home:
    """The home of a report with code, which was planned elsewhere."""
    Planner(needed_environment()).facts(FactsRequest(ReportRequest(str(report)), str(tmp_path / "home")))
    marker.unlink()
    return Home.open(tmp_path / "home")


@pytest.mark.process
def test_no_reading_command_imports_anything(
    command: Command,
    home: Home,
    marker: Path,
) -> None:
    for name, *more in READING.values():
        answer = command(name, "--home", home.path, *more)
        assert (answer.status, answer.err) == (0, "") or "no table that this report writes has" in answer.err, name
        assert not marker.exists(), name
    assert "n of totals, TUMBLE 1 hour" in command("show", "--home", home.path).out
    assert not [name for name in sys.modules if name.startswith("hostile_")]


@pytest.mark.process
def test_an_older_home_with_code_is_refused_until_its_report_has_started(
    command: Command,
    home: Home,
    report: Path,
    marker: Path,
) -> None:
    home.outline_file.local.unlink()
    for name, *more in (READING["show"], READING["changelog of rows"]):
        answer = command(name, "--home", home.path, *more)
        assert (answer.status, answer.out) == (2, "") and "start the report once, with `run` or" in answer.err
        assert not marker.exists()
    Planner(needed_environment()).facts(FactsRequest(ReportRequest(str(report)), str(home.path)))
    assert command("show", "--home", home.path).status == 0


def test_an_older_home_of_sql_alone_is_read(
    command: Command,
    tmp_path: Path,
) -> None:
    (tmp_path / "plain.sql").write_text(PLAIN)
    home = Home.create(tmp_path / "home", load_report(tmp_path / "plain.sql"))
    told = command("show", "--home", home.path).out
    home.outline_file.local.unlink()
    again = command("show", "--home", home.path).out
    assert "n of totals, TUMBLE 1 hour" in told
    assert again.splitlines()[:2] == told.splitlines()[:2]


@pytest.mark.process
def test_a_home_that_hides_its_functions_is_refused_too(
    command: Command,
    home: Home,
    marker: Path,
) -> None:
    """Its script decides, not what the home says of it."""
    home.outline_file.local.unlink()
    identity = json.loads(home.report_file.local.read_text())
    if identity["program"] is not None:
        identity.update(program=None, script="CREATE FUNCTION f AS 'm.f' LANGUAGE PYTHON;")
    identity["fingerprint"] = {}
    home.report_file.local.write_text(json.dumps(identity))
    answer = command("show", "--home", home.path)
    assert answer.status == 2 and "start the report once, with `run` or" in answer.err
    assert not marker.exists()


BROKEN = {
    "no JSON": b"{",
    "no object": b"[]",
    "nested": b"[" * 1_000_000,
    "without inserts": b'{"report": "r"}',
    "numbers for names": b'{"report": "r", "inserts": [{"name": 1, "directory": null, "format": "csv", '
    b'"columns": [], "key": [], "window": null}]}',
    "a pair of three": b'{"report": "r", "inserts": [{"name": "x", "directory": "/", "format": "csv", '
    b'"columns": [["a", "INT", "b"]], "key": [], "window": null}]}',
    "a window without a stride": b'{"report": "r", "inserts": [{"name": "x", "directory": "/", "format": "csv", '
    b'"columns": [], "key": [], "window": {"text": "w", "stride": 0}}]}',
    "something else": b'{"report": "r", "inserts": [{"name": "x", "directory": "/", "format": "csv", '
    b'"columns": [], "key": [], "window": null, "more": 1}]}',
    "a newer format": b'{"format": 99, "report": "r", "inserts": []}',
}


@pytest.mark.parametrize("what", [*BROKEN, "a link", "a pipe"])
def test_a_broken_outline_is_told_and_stops_no_report(command: Command, tmp_path: Path, what: str) -> None:
    (tmp_path / "plain.sql").write_text(PLAIN)
    plan = load_report(tmp_path / "plain.sql")
    home = Home.create(tmp_path / "home", plan)
    if what in BROKEN:
        home.outline_file.local.write_bytes(BROKEN[what])
    else:
        home.outline_file.local.unlink()
        os.mkfifo(home.outline_file.local) if what == "a pipe" else home.outline_file.local.symlink_to(
            tmp_path / "plain.sql"
        )
    answer = command("show", "--home", home.path)
    assert (answer.status, answer.out) == (2, "") and "outline" in answer.err
    Home.create(home.path, plan)
    assert command("show", "--home", home.path).status == 0
