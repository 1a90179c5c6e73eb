"""The trigger on real homes."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk.serde import deserialize, serialize
from airflow.triggers.base import BaseTrigger

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.home.heartbeat import FAILED, FINISHED, RUNNING, STOPPED
from airflow_nrt.home.home import Home
from airflow_nrt.triggers.driver import NrtDriverTrigger
from airflow_nrt.triggers.driver_health import BROKEN, ENDED, LOST
from airflow_nrt.triggers.watch_settings import Alarm, WatchSettings
from airflow_nrt.triggers.watcher import Unreadable, Watcher
from airflow_nrt.triggers.window import NrtWindowTrigger
from tests.launch.homes import beat, fire, lease, new_home
from tests.task_log import said


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = new_home(tmp_path)
    lease(home)
    return home


def trigger(home: Home, **options: Any) -> NrtDriverTrigger:
    return NrtDriverTrigger(str(home.path), **{"poll_interval": 0.02, "earliest": 0.0, **options})


def event_of(trigger: BaseTrigger, timeout: float = 20) -> dict[str, Any]:
    async def first() -> dict[str, Any]:
        async for event in trigger.run():
            return event.payload  # type: ignore[no-any-return]
        raise AssertionError("it ended without an event")

    return asyncio.run(asyncio.wait_for(first(), timeout))


def later(seconds: float, act: Any) -> None:
    threading.Timer(seconds, act).start()


@pytest.mark.parametrize(
    "one",
    [
        NrtDriverTrigger("/h", 3, 2.5, lost="gone", group="reports", stall_timeout=60.0),
        NrtWindowTrigger("/h", "2024-06-19 00:10", group="reports"),
    ],
)
def test_a_trigger_survives_its_way_through_the_database(one: BaseTrigger) -> None:
    path, arguments = one.serialize()
    assert path == f"{type(one).__module__}.{type(one).__qualname__}"
    again = type(one)(**deserialize(serialize(arguments)))
    assert again.serialize() == (path, arguments)


def test_a_stop_is_told(home: Home) -> None:
    beat(home, 1)
    home.ask_to_stop()
    later(0.1, lambda: beat(home, 1, STOPPED))
    assert event_of(trigger(home))["kind"] == ENDED


def test_a_driver_that_was_terminated_is_lost(home: Home) -> None:
    beat(home, 1, STOPPED)
    assert event_of(trigger(home))["kind"] == LOST


def test_it_never_fires_early(home: Home) -> None:
    beat(home, 1, STOPPED)
    began = time.monotonic()
    event_of(trigger(home, earliest=0.4))
    assert time.monotonic() - began >= 0.4


def test_a_restart_waits_in_the_trigger_a_final_failure_does_not(home: Home) -> None:
    beat(home, 1, FAILED, error="out of luck")
    began = time.monotonic()
    assert event_of(trigger(home, back_off=0.4))["kind"] == BROKEN
    assert time.monotonic() - began >= 0.4
    beat(home, 1, FAILED, error="overflow", final=True)
    began = time.monotonic()
    assert event_of(trigger(home, back_off=60))["final"]
    assert time.monotonic() - began < 10


@pytest.mark.process
def test_a_killed_process_is_noticed(home: Home) -> None:
    driver = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    beat(home, 1, pid=driver.pid)
    driver.kill()
    driver.wait()
    event = event_of(trigger(home))
    assert event["kind"] == LOST and "is gone" in event["why"]


def test_silence_is_told(home: Home) -> None:
    beat(home, 1, host="elsewhere")
    assert event_of(trigger(home, silence=0.1))["kind"] == LOST


def test_a_newer_driver_is_followed(home: Home) -> None:
    beat(home, 1)
    later(0.1, lambda: beat(home, 2))
    later(0.3, lambda: beat(home, 2, STOPPED))
    watching = trigger(home, epoch=1)
    assert event_of(watching)["epoch"] == 2
    assert watching.epoch == 2


def test_what_was_lost_before_is_only_waited_for(home: Home) -> None:
    assert event_of(trigger(home, lost="no heartbeat"))["why"] == "no heartbeat"


def test_how_the_report_is_doing_stands_in_the_log_now_and_then(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    fire(home, lease(home), parse_instant("2024-06-18 10:00"))
    beat(home, 2)
    later(0.7, lambda: beat(home, 2, FINISHED))
    event_of(trigger(home, status_interval=0.4))
    lines = [line for line in said(capsys) if line.startswith("lag ")]
    # It looks fifty times a second. A busy machine looks later, and hears of the end later.
    assert 2 <= len(lines) <= 6
    lag, *rest = lines[0].split("; ")
    assert re.fullmatch(r"lag \d+ days \d+ (hours?|minutes?|seconds?), 0 rows \(0 late, 0 rejected\)", lag)
    assert rest == [
        "0 windows published, complete up to 2024-06-18 10:00:00",
        "watermark 2024-06-18 10:00:00",
        "1 restart",
        "orders_curve running",
    ]


BEFORE = {
    "home": "/h", "epoch": 3, "back_off": 2.0, "stall_timeout": 600.0, "silence": 20.0, "poll_interval": 1.5,
    "earliest": 12.0, "lost": None, "endless": True, "group": "reports", "status_interval": 30.0,
    "freshness": {"allowed": 900000, "path": "alerts.notify", "kwargs": {"channel": "#curve"}},
}  # fmt: skip
"""The arguments of a stored trigger, as the version before `WatchSettings` wrote them."""


def test_a_stored_trigger_of_the_version_before_is_loaded_and_read_by_it() -> None:
    loaded = NrtDriverTrigger(**deserialize(serialize(BEFORE)))
    assert (loaded.home, loaded.epoch, loaded.back_off, loaded.endless, loaded.group) == ("/h", 3, 2.0, True, "reports")
    alarm = Alarm(900_000, "alerts.notify", {"channel": "#curve"})
    assert loaded.watch == WatchSettings(600.0, 20.0, 1.5, 12.0, 30.0, alarm)
    # While an upgrade is under way, a triggerer of the version before gets these.
    assert loaded.serialize() == ("airflow_nrt.triggers.driver.NrtDriverTrigger", BEFORE)


def test_a_stored_trigger_of_an_early_version_is_loaded() -> None:
    missing = ("status_interval", "freshness")
    loaded = NrtDriverTrigger(**{name: value for name, value in BEFORE.items() if name not in missing})
    assert (loaded.watch.status_interval, loaded.watch.freshness) == (60.0, None)


def test_what_no_version_writes_is_refused() -> None:
    with pytest.raises(TypeError, match="pause"):
        NrtDriverTrigger("/h", pause=3)


def test_a_home_that_can_t_be_read_says_nothing(home: Home) -> None:
    home.heartbeats.local.mkdir()
    (home.heartbeats.local / "1.json").write_text("{")
    later(0.3, lambda: beat(home, 1, FINISHED))
    assert event_of(trigger(home, silence=0.1))["kind"] == ENDED


def test_a_task_that_nobody_knows_does_not_stop_its_driver(home: Home) -> None:
    beat(home, 1, RUNNING)
    watching = trigger(home, epoch=1)
    watching.task_instance = None
    asyncio.run(watching.on_kill())
    assert not home.stop_file.exists()


def test_windows_are_waited_for(home: Home) -> None:
    writer = lease(home)
    fire(home, writer, 1000, None)
    beat(home, 2, entry=2)

    def go_on() -> None:
        beat(home, 2, entry=fire(home, writer, 5000, 3000))

    later(0.1, go_on)
    waiting = NrtWindowTrigger(str(home.path), "1970-01-01 00:00:03", poll_interval=0.02, earliest=0.0)
    assert event_of(waiting) == {"error": None}


def test_a_hopeless_window_is_told(home: Home) -> None:
    beat(home, 1, FAILED, error="overflow", final=True)
    waiting = NrtWindowTrigger(str(home.path), "1970-01-01 00:00:03", poll_interval=0.02, earliest=0.0)
    assert event_of(waiting) == {"error": "its driver failed: overflow"}


def test_a_read_that_hangs_costs_one_thread_and_nobody_s_patience(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    watcher = Watcher(threads=1, limit=0.3)
    reads: list[int] = []

    def hang() -> bytes:
        reads.append(1)
        return pipe.read_bytes()

    async def ask() -> list[BaseException | bytes]:
        return await asyncio.gather(*(watcher.read("/home", "bytes", hang) for _ in range(5)), return_exceptions=True)

    answers = asyncio.run(ask())
    assert [type(answer) for answer in answers] == [Unreadable] * 5
    assert len(reads) == 1
    with pipe.open("wb") as writer:
        writer.write(b"late")


def test_a_watcher_keeps_no_answer(tmp_path: Path) -> None:
    """A triggerer asks for months, often for what it never asked before."""
    watcher = Watcher()

    async def ask() -> list[int]:
        return [await watcher.read(str(tmp_path), ("question", n), lambda: 1) for n in range(100)]

    assert sum(asyncio.run(ask())) == 100
    assert not watcher._reads


@pytest.mark.parametrize("calls_on_kill", [True, False])
def test_a_task_that_was_given_up_stops_its_driver_in_each_airflow(
    home: Home, calls_on_kill: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One without `on_kill` calls only `cleanup`, whatever ended the trigger."""

    async def is_given_up(task: Any) -> bool:
        return True

    monkeypatch.setattr("airflow_nrt.triggers.driver.is_given_up", is_given_up)
    monkeypatch.setattr("airflow_nrt.triggers.driver.calls_on_kill", lambda: calls_on_kill)
    beat(home, lease(home).epoch)
    watching = trigger(home, epoch=home.log().epoch())
    asyncio.run(watching.cleanup())
    assert home.is_stop_asked(home.log().epoch()) == (not calls_on_kill)


def test_a_trigger_that_has_fired_asks_for_no_stop_when_it_cleans_up(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airflow_nrt.triggers.driver.calls_on_kill", lambda: False)
    beat(home, lease(home).epoch, STOPPED)
    watching = trigger(home, epoch=home.log().epoch())

    async def whole() -> None:
        async for _ in watching.run():
            pass
        await watching.cleanup()

    asyncio.run(whole())
    assert not home.is_stop_asked(home.log().epoch())
