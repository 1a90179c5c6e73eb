"""Launch records: whose driver may still show up."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.launch.launch_records import Launch, last_launch, pending_launch, put_launch
from airflow_nrt.launch.processes import ProcessMark
from tests.launch.homes import HOST, beat, launch, new_home


def test_a_launch_is_pending_until_its_driver_shows_up(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    assert pending_launch(home) is None
    record = launch(home, 1)
    assert pending_launch(home) == record
    beat(home, 1, launch="1")
    assert pending_launch(home) is None


def test_a_launch_that_failed_is_not_pending(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    launch(home, 1)
    (home.launches.local / "1.json").write_text(json.dumps({"error": "no such table", "final": True}))
    assert pending_launch(home) is None


@pytest.mark.process
def test_a_launch_whose_launcher_ended_is_not_pending_but_one_of_another_host_is(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    launch(home, 1, pid=ended.pid)
    assert pending_launch(home) is None
    elsewhere = launch(home, 2, pid=ended.pid, host="elsewhere")
    assert pending_launch(home) == elsewhere


def test_an_overdue_launch_is_not_pending(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    launch(home, 1, patience=-1)
    assert pending_launch(home) is None


def test_a_number_is_given_once(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    first = launch(home, 1)
    assert not put_launch(home, Launch(1, ProcessMark(HOST, 1), now_ms(), 1, "somebody else"))
    assert last_launch(home) == first


def test_the_newest_launch_counts(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    for number in (1, 2, 10):
        newest = launch(home, number)
    assert last_launch(home) == newest


def test_an_unreadable_record_is_named(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    home.launches.local.mkdir()
    (home.launches.local / "1.launch").write_text("{")
    with pytest.raises(HomeError, match=r"1\.launch can't be read"):
        last_launch(home)


@pytest.mark.process
def test_a_process_that_got_an_old_number_is_another() -> None:
    running = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        mark = ProcessMark.of(running.pid)
        assert mark.start is not None and not mark.is_gone()
        assert replace(mark, start=replace(mark.start, ticks=mark.start.ticks - 1)).is_gone()
    finally:
        running.kill()
        running.wait()
