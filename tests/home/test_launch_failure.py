"""Why the last start failed: of a launch and of a terminal, until a driver has begun."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.heartbeat import RUNNING, Heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import TERMINAL, failed_start, launch_failure, note_launch_failure
from tests.sample import plan_of


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", plan_of())


def fail(home: Home, launch: str, at: int) -> None:
    note_launch_failure(str(home.path), launch, InputError(f"no start at {at}"))
    os.utime(home.launches.local / f"{launch}.json", (at, at))


def test_the_newest_of_both_counts(home: Home) -> None:
    assert failed_start(home, None) is None
    fail(home, TERMINAL, 100)
    assert failed_start(home, None) == "no start at 100"
    (home.launches.local / "2.launch").touch()
    fail(home, "2", 200)
    assert failed_start(home, None) == "no start at 200"
    fail(home, TERMINAL, 300)
    assert failed_start(home, None) == "no start at 300"


@pytest.mark.parametrize(("started", "cause"), [(150, "no start at 200"), (250, None)])
def test_a_driver_that_has_begun_since_has_no_failed_start(home: Home, started: int, cause: str | None) -> None:
    fail(home, TERMINAL, 200)
    beat = Heartbeat(RUNNING, 1, "host", 42, started * SECOND, "application")
    assert failed_start(home, beat) == cause


def test_a_start_in_a_terminal_is_no_failure_of_a_launch(home: Home) -> None:
    fail(home, TERMINAL, 200)
    (home.launches.local / "2.launch").touch()
    assert launch_failure(home, "2") is None
