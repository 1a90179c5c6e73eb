"""Which generation of a home counts: only the last entries of its logs say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import FencedError
from airflow_nrt.home.generations import later_generations
from airflow_nrt.home.home import Home
from airflow_nrt.home.next_generation import (
    counts_from,
    former_of,
    give_up_next,
    next_generation,
    rebuilding,
)
from airflow_nrt.triggers.cursor import BEFORE_ALL, Cursor
from tests.home.changed_homes import changed, leave
from tests.launch.homes import beat, fire, lease, new_home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


def test_one_entry_decides(home: Home) -> None:
    writer = lease(home)
    following = changed(home, 20)
    assert following.path == home.path and following.directory == home.path / "generations" / "2"
    assert following.launches.local == home.launches.local and following.tasks.local == home.tasks.local
    assert Home.open(home.path).generation == 1 and former_of(following) is None
    leave(writer, 2)
    found = Home.open(home.path)
    assert (found.generation, found.identity().id) == (2, following.identity().id)
    former = former_of(found)
    assert former is not None and former.identity().id == home.identity().id
    with pytest.raises(FencedError, match="its generation 2 counts since log entry 1, and this one ends there"):
        fire(home, writer, 0)


def test_an_entry_of_a_newer_driver_comes_first(home: Home) -> None:
    writer = lease(home)
    changed(home, 20)
    lease(home)
    with pytest.raises(FencedError, match="a newer driver"):
        leave(writer, 2)
    assert Home.open(home.path).generation == 1


def test_what_is_given_up_keeps_its_number(home: Home) -> None:
    writer = lease(home)
    assert changed(home, 20).generation == changed(home, 20).generation == 2
    assert changed(home, 30).generation == 3 and later_generations(home.base) == [2, 3]
    give_up_next(home)
    assert next_generation(home) is None and rebuilding(home) is None
    assert changed(home, 30).generation == 4
    leave(writer, 4)
    assert Home.open(home.path).generation == 4 and next_generation(Home.open(home.path)) is None


def test_how_far_it_is(home: Home) -> None:
    lease(home)
    following = changed(home, 20)
    found = rebuilding(home)
    assert str(found) == "generation 2 has read 0 of 0 rows (nothing): none"
    beat(following, 1, "failed", error="a cause")
    assert str(rebuilding(home)) == "generation 2 has read 0 of 0 rows (nothing): failed, a cause"


def test_windows_of_the_past_are_no_events_of_a_changed_report(home: Home) -> None:
    writer = lease(home)
    following = changed(home, 20)
    own = lease(following)
    for end in range(3):
        fire(following, own, end)
    cursor = Cursor(home.identity().id, 7, 7, "run")
    leave(writer, 2)
    found = Home.open(home.path)
    known = found.identity().id
    assert counts_from(found) == 4 and cursor.of(found) == Cursor(known, 3, 3)
    fire(following, own, 3)
    assert counts_from(found) == 4 and cursor.of(found) == Cursor(known, 3, 3)
    assert cursor.of(home) == cursor and Cursor("other", 7, 7).of(found) == Cursor(known, BEFORE_ALL, BEFORE_ALL)
    assert counts_from(home) == 0
