"""Tests are marked with what they need, and a unit test that needs more than it says fails."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from tests.durations import by_tier_and_file
from tests.strict import watched
from tests.tiers import needs, tier_of


def asking(*fixtures: str, marks: tuple[str, ...] = ()) -> Any:
    """A test that asks for these fixtures, directly or through others."""
    given = [SimpleNamespace(name=name) for name in marks]
    return SimpleNamespace(fixturenames=fixtures, iter_markers=lambda: iter(given), stash={})


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (asking("tmp_path", "monkeypatch"), ["unit"]),
        (asking("streamed", "spark"), ["spark"]),
        (asking("topics", "broker", "spark"), ["spark", "server"]),
        (asking("page", "browser"), ["browser"]),
        (asking("spark", marks=("slow", "process")), ["spark", "process"]),
    ],
)
def test_what_a_test_needs(test: Any, expected: list[str]) -> None:
    assert needs(test) == expected
    assert tier_of(test) == expected[-1]


def test_this_test_needs_nothing(request: pytest.FixtureRequest) -> None:
    assert [mark.name for mark in request.node.iter_markers()] == ["unit"]
    assert ("tier", "unit") in request.node.user_properties


@pytest.mark.parametrize("start", [lambda: subprocess.run(["true"], check=True), lambda: subprocess.getoutput("true")])
def test_a_unit_test_starts_no_process(request: pytest.FixtureRequest, start: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"starts a process .*pytest\.mark\.process"), watched(request.node):
        start()


def test_a_unit_test_opens_no_database_of_airflow(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"pytest\.mark\.airflow"), watched(request.node):
        sqlite3.connect(tmp_path / "airflow.db")
    sqlite3.connect(tmp_path / "another.db").close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_another_thread_is_found_too(request: pytest.FixtureRequest) -> None:
    with pytest.raises(pytest.fail.Exception, match="starts a process"), watched(request.node):
        thread = Thread(target=lambda: subprocess.run(["true"], check=True))
        thread.start()
        thread.join()


def report(test: str, seconds: float, tier: str) -> pytest.TestReport:
    return pytest.TestReport(
        test, ("", 0, ""), {}, "passed", None, "call", duration=seconds, user_properties=[("tier", tier)]
    )


def test_durations_are_summed_by_tier_and_file() -> None:
    reports = [report("a.py::one", 60, "spark"), report("a.py::two", 40, "process"), report("b.py::one", 1, "spark")]
    lines = [line.split() for line in by_tier_and_file(reports)]
    assert lines[:2] == [["61.0", "s", "2", "tests", "spark"], ["40.0", "s", "1", "tests", "process"]]
    assert lines[2:4] == [["100.0", "s", "a.py", "(more", "than", "90", "s)"], ["1.0", "s", "b.py"]]
    assert lines[4] == ["60.0", "s", "a.py::one"]
