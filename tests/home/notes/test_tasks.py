"""A home names the tasks that work on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.notes.tasks import BACKFILL, STREAM, TaskOfHome, note_task, tasks_of
from tests.launch.homes import new_home


def test_the_last_task_of_each_kind_is_named(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    assert tasks_of(home) == {}
    note_task(home, STREAM, TaskOfHome("orders", "stream"))
    note_task(home, BACKFILL, TaskOfHome("nightly", "backfill", ("interval", "repair")))
    note_task(home, STREAM, TaskOfHome("orders_2", "stream"))
    assert tasks_of(home) == {
        "stream": TaskOfHome("orders_2", "stream"),
        "backfill": TaskOfHome("nightly", "backfill", ("interval", "repair")),
    }


def test_a_task_with_windows_of_its_own_does_not_hide_one_that_takes_any(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    repairing = TaskOfHome("nightly", "backfill", ("interval", "repair"))
    note_task(home, BACKFILL, repairing)
    note_task(home, BACKFILL, TaskOfHome("one_day", "backfill"))
    assert tasks_of(home)["backfill"] == repairing
    note_task(home, BACKFILL, TaskOfHome("nightly", "backfill"))
    assert tasks_of(home)["backfill"].takes == ()


def test_the_same_task_writes_once(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    note_task(home, STREAM, TaskOfHome("orders", "stream"))
    before = (home.tasks.local / "stream.json").stat().st_ino
    note_task(home, STREAM, TaskOfHome("orders", "stream"))
    assert (home.tasks.local / "stream.json").stat().st_ino == before


def test_a_task_of_an_older_version_says_nothing_of_what_it_does(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    home.tasks.local.mkdir(parents=True)
    (home.tasks.local / "backfill.json").write_text(
        '{"format": 1, "dag_id": "a", "task_id": "t", "takes": ["interval"]}'
    )
    assert tasks_of(home)["backfill"] == TaskOfHome("a", "t", ("interval",), "")


@pytest.mark.parametrize(
    "content",
    [
        "{", "[]", '{"dag_id": "a"}', '{"dag_id": "", "task_id": "t"}', '{"dag_id": "a\\n", "task_id": "t"}',
        '{"format": 1, "dag_id": "a", "task_id": "t", "does": "harm"}',
    ],
)  # fmt: skip
def test_what_names_no_task_is_an_error_and_is_written_over(tmp_path: Path, content: str) -> None:
    home = new_home(tmp_path)
    home.tasks.local.mkdir(parents=True)
    (home.tasks.local / "stream.json").write_text(content)
    with pytest.raises(HomeError):
        tasks_of(home)
    note_task(home, STREAM, TaskOfHome("orders", "stream"))
    assert tasks_of(home)["stream"].dag_id == "orders"
