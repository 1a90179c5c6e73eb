"""Whether a home has a driver that lives."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from airflow_nrt.files.process_start import ProcessStart
from airflow_nrt.home.heartbeat import FINISHED, Heartbeat, now_ms, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch import living
from airflow_nrt.launch.living import is_stopping, kill_driver, living_driver
from tests.clock import Clock
from tests.launch.homes import beat, hanging_driver, launch, lease, new_home


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(living, "time", clock)
    return clock


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = new_home(tmp_path)
    lease(home)
    return home


def age(home: Home, **changes: object) -> Heartbeat:
    """Rewrites the standing heartbeat as it is, but with these changes."""
    standing = read_heartbeat(home.heartbeats)
    assert standing is not None
    aged = replace(standing, **changes)  # type: ignore[arg-type]
    (home.heartbeats.local / f"{aged.epoch}.json").write_text(json.dumps(asdict(aged)))
    return aged


def test_a_fresh_heartbeat_is_a_driver_and_an_ended_one_is_none(home: Home) -> None:
    beat(home, 1)
    assert living_driver(home) == read_heartbeat(home.heartbeats)
    beat(home, 1, FINISHED)
    assert living_driver(home) is None


def test_a_clock_that_is_behind_does_not_make_a_driver_dead(home: Home, clock: Clock) -> None:
    beat(home, 1, host="elsewhere")
    age(home, beat=now_ms() - 3_600_000)
    clock.later(4.9, lambda: age(home, beat=now_ms() - 3_599_000))
    assert living_driver(home) is not None


def test_silence_is_death_after_a_while(home: Home, clock: Clock) -> None:
    beat(home, 1, host="elsewhere")
    age(home, beat=now_ms() - 60_000)
    assert living_driver(home) is None
    assert clock.now > living.CERTAINTY_SECONDS


@pytest.mark.process
def test_a_process_that_is_gone_is_death_although_its_heartbeat_is_fresh(home: Home) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    beat(home, 1, pid=ended.pid)
    assert living_driver(home) is None


def test_a_driver_that_was_watched_to_be_dead_is_not_watched_again(home: Home, clock: Clock) -> None:
    beat(home, 1, host="elsewhere")
    age(home, beat=now_ms() - 60_000)
    assert living_driver(home, lost=1) is None
    assert clock.now == 0


def test_a_newer_lease_is_given_time_to_show_a_heartbeat(home: Home, clock: Clock) -> None:
    beat(home, 1, FINISHED)
    lease(home)
    clock.later(4.9, lambda: beat(home, 2))
    found = living_driver(home)
    assert found is not None and found.epoch == 2


@pytest.mark.process
def test_only_the_driver_s_own_process_is_put_down(home: Home) -> None:
    hung = hanging_driver(home)
    try:
        start = ProcessStart.of(hung.pid)
        assert start is not None
        beat(home, 1, pid=hung.pid, process_start=replace(start, ticks=start.ticks - 1))
        assert not kill_driver(home, age(home))
        assert hung.poll() is None
        beat(home, 1, pid=hung.pid)
        assert kill_driver(home, age(home))
        assert hung.wait(10) == -9
    finally:
        hung.kill()
        hung.wait()


# ---------------------------------------------------------------------------------------------------- stopping


def test_a_stop_is_for_all_that_was_launched_by_then_and_for_nothing_later(home: Home) -> None:
    launch(home, 1)
    assert home.ask_to_stop() == 1
    assert is_stopping(home)
    assert home.is_stop_asked(2, launch="1")
    assert not home.is_stop_asked(2, launch="2")
    assert not home.is_stop_asked(2)
    home.drop_stop_request(2, launch="1")
    assert home.is_stop_asked(2, launch="1")
    home.drop_stop_request(2, launch="2")
    assert not is_stopping(home)


def test_who_was_launched_before_the_request_and_began_after_it_is_still_stopping(home: Home) -> None:
    launch(home, 1)
    home.ask_to_stop()
    beat(home, lease(home).epoch, launch="1")
    assert is_stopping(home)
    beat(home, lease(home).epoch, launch="2")
    assert not is_stopping(home)
