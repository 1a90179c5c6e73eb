"""The end of a driver's log, and the line of it that says why the driver ended."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airflow_nrt.home.driver_log import cause_in, last_lines, last_lines_or_reason
from airflow_nrt.home.home import Home

COMMAND = "airflow-nrt: Cannot execute: spark-submit --name x. Error code is: 1."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_no_more_than_the_last_lines_are_read_each_cut(home: Home) -> None:
    assert last_lines(home) == []
    lines = [f"line {number}" for number in range(100_000)]
    home.driver_log.local.write_text("\n".join(lines) + "\n\n" + "x" * 5000 + "\x1b[31m\n")
    found = last_lines(home, 3)
    assert found[:2] == lines[-2:]
    assert len(found[2]) == 1000 and found[2].endswith("… (5005 characters)")


def test_what_earlier_launches_printed_is_left_out(home: Home) -> None:
    home.driver_log.local.write_text("of the first\nof the second\n")
    assert last_lines(home, begin=len("of the first\n")) == ["of the second"]
    assert last_lines(home, begin=10_000) == []


def test_a_log_that_is_not_to_be_trusted_is_not_read(home: Home, tmp_path: Path) -> None:
    os.symlink("/etc/passwd", home.driver_log.local)
    (line,) = last_lines_or_reason(home)
    assert "is a link, which is not followed" in line


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (["airflow-nrt: the port is taken", "24/06/18 INFO ShutdownHookManager", COMMAND], "the port is taken"),
        (["Caused by: java.net.BindException: taken", "\tat java.base/Exception.java", COMMAND],
         "Caused by: java.net.BindException: taken"),
        (["started", "Killed"], "Killed"),
        ([COMMAND], "Cannot execute: spark-submit --name x. Error code is: 1."),
        ([], "it printed nothing"),
    ],
)  # fmt: skip
def test_the_cause_is_found(lines: list[str], cause: str) -> None:
    assert cause_in(lines) == cause
