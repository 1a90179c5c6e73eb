"""Which tasks supervise a driver now: those that have written their notes lately."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.supervisors import (
    SILENT_MS,
    Supervisor,
    note_supervisor,
    supervisors_of,
    withdraw_supervisor,
)
from tests.launch.homes import new_home

ONE = Supervisor("a", "stream", "run", -1, 1_000_000)
OTHER = replace(ONE, dag_id="b")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


def test_two_tasks_see_each_other(home: Home) -> None:
    assert note_supervisor(home, ONE) == []
    assert note_supervisor(home, OTHER) == [ONE]
    later = replace(ONE, seen=ONE.seen + 5)
    assert note_supervisor(home, later) == [OTHER] and supervisors_of(home, ONE.seen) == [later, OTHER]
    assert withdraw_supervisor(home, later) == [OTHER] and withdraw_supervisor(home, OTHER) == []


def test_one_that_is_silent_has_died(home: Home) -> None:
    note_supervisor(home, ONE)
    assert supervisors_of(home, ONE.seen + SILENT_MS) == []
    assert note_supervisor(home, replace(OTHER, seen=ONE.seen + 86_400_001)) == []
    assert len(list(home.supervisors.local.iterdir())) == 1


def test_runs_and_map_indexes_are_tasks_of_their_own(home: Home) -> None:
    mapped = [replace(ONE, map_index=0), replace(ONE, map_index=1), replace(ONE, run_id="next")]
    for one in mapped:
        note_supervisor(home, one)
    assert len(supervisors_of(home, ONE.seen)) == 3
    assert str(mapped[1]) == "task stream[1] of a, run run" and str(ONE) == "task stream of a, run run"


def test_a_note_that_can_t_be_read_is_of_nobody(home: Home) -> None:
    note_supervisor(home, ONE)
    (home.supervisors.local / "0.json").write_text("{")
    (home.supervisors.local / "1.json").write_text('{"format": 1, "dag_id": "", "task_id": "t", "run_id": "r"}')
    assert supervisors_of(home, ONE.seen) == [ONE]
