"""Generations that were left go, and the one that counts is found all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.durations import DAY
from airflow_nrt.home.generations import first_generation, later_generations
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home, is_of_a_home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.next_generation import former_of
from airflow_nrt.home.notes.tasks import STREAM, TaskOfHome, note_task, tasks_of
from airflow_nrt.home.retention import left_generations
from airflow_nrt.home.retention.left_generations import remove_left
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.home.status import read_status
from tests.home.changed_homes import changed, leave
from tests.launch.homes import beat, fire, launch, lease, new_home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home whose report has changed twice; of one change nothing came."""
    first = new_home(tmp_path)
    writer = lease(first)
    fire(first, writer, 0)
    launch(first, 1)
    note_task(first, STREAM, TaskOfHome("dag", "stream"))
    second = changed(first, 20)
    begun = lease(second)
    leave(writer, 2)
    assert changed(second, 30).generation == 3
    fourth = changed(second, 40)
    last = lease(fourth)
    fire(fourth, last, 7)
    beat(fourth, 1)
    leave(begun, 4)
    return Home.open(first.path)


def names(home: Home) -> set[str]:
    return {path.name for path in home.path.iterdir()}


def test_they_go_when_their_time_has_come(home: Home) -> None:
    later = now_ms() + 8 * DAY
    assert home.generation == 4 and remove_left(home, 9 * DAY, later) == []
    assert Home.open(home.path).generation == 4 and former_of(home) is not None
    retention = Retention(home, Keep(None, DAY, DAY, 7 * DAY), clock=lambda: later)
    assert not retention.step(home.log())
    found = Home.open(home.path)
    assert found.generation == 4 and found.identity().id == home.identity().id and former_of(found) is None
    assert later_generations(found.base) == [4] and first_generation(found.base) == 4
    assert names(home) == {"generations", "launches", "notes", "report.json", "outline.json"}
    assert all(is_of_a_home(name) for name in names(home))
    assert read_status(found).entry == 1 and tasks_of(found)[STREAM].dag_id == "dag" and found.newest_launch() == 1
    following = changed(found, 60)
    assert following.generation == 5 and Home.open(home.path).generation == 4
    leave(lease(found), 5)
    assert Home.open(home.path).generation == 5


def test_one_that_does_not_count_yet_removes_nothing(tmp_path: Path) -> None:
    """Its driver does what retention asks, too."""
    home = new_home(tmp_path)
    writer = lease(home)
    following = changed(home, 20)
    assert remove_left(following, 0, now_ms() + DAY) == []
    assert remove_left(home, 0, now_ms() + DAY) == []
    assert Home.open(home.path).log().last == 0 and following.report_file.exists()
    leave(writer, 2)
    assert remove_left(following, 0, now_ms() + DAY) == [1]
    assert Home.open(home.path).generation == 2


def test_nothing_goes_while_results_wait(home: Home) -> None:
    (home.staged / "1-waiting").make()
    assert remove_left(home, 0, now_ms() + DAY) == []
    (home.staged / "1-waiting").delete_all()
    assert remove_left(home, 0, now_ms() + DAY) == [1, 2, 3]


def test_whoever_is_killed_in_between_begins_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log of the first generation is half removed, and nobody reads it."""

    def killed(home: Home, number: int) -> None:
        (home.base / "log" / "1.json").delete()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(left_generations, "_remove", killed)
        with pytest.raises(KeyboardInterrupt):
            remove_left(home, 0, now_ms() + DAY)
    assert Home.open(home.path).generation == 4 and "log" in names(home)
    assert remove_left(Home.open(home.path), 0, now_ms() + DAY) == []
    assert "log" not in names(home) and Home.open(home.path).generation == 4
