"""One bad home harms no other: whatever stands as its heartbeat, the triggers of the same triggerer go on.

Who can write a home puts things there that hang, recurse, overflow or fill a database; beside it a good home is
watched, and its trigger fires.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from airflow.triggers.base import BaseTrigger
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import MOST_CHARACTERS, shortened
from airflow_nrt.home.heartbeat import FAILED, FINISHED, RUNNING, Heartbeat, now_ms, read_heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.posix import posix_path
from airflow_nrt.launch.start import LaunchFailedError
from airflow_nrt.triggers import watcher
from airflow_nrt.triggers.driver import NrtDriverTrigger
from airflow_nrt.triggers.driver_health import BROKEN, ENDED
from airflow_nrt.triggers.mounts import Mount, device_of, parse_mounts
from airflow_nrt.triggers.watcher import Unreadable, Watcher
from airflow_nrt.triggers.window import NrtWindowTrigger
from tests.launch.homes import beat, fire, lease, new_home

THREADS = 8
BEAT = {"format": 2, "state": RUNNING, "epoch": 1, "host": "h", "pid": 4711, "started": 0, "application": "app"}


async def event_of(trigger: BaseTrigger) -> dict[str, Any]:
    async for event in trigger.run():
        return event.payload  # type: ignore[no-any-return]
    raise AssertionError("it ended without an event")


def watching(home: Home) -> NrtDriverTrigger:
    return NrtDriverTrigger(str(home.path), poll_interval=0.05, earliest=0.0)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def door(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        # The name of a socket is short.
        listening.bind(f"/proc/self/fd/{os.open(path.parent, os.O_RDONLY)}/{path.name}")


def written(content: bytes | str | dict[str, Any]) -> Callable[[Path], None]:
    text = json.dumps(content) if isinstance(content, dict) else content

    def write(path: Path) -> None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    return write


BAD: dict[str, Callable[[Path], None]] = {
    "a pipe": pipe,
    "a socket": door,
    "a directory": lambda path: path.mkdir(),
    "a device that never ends": lambda path: path.symlink_to("/dev/zero"),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "nothing": written(""),
    "deep JSON": written("[" * 100_000),
    "deep JSON in a field": written('{"state": ' + '{"a":' * 100_000),
    "bytes": written(b"\xff\xfe\x00"),
    "no object": written("[]"),
    "a text of 30 MB": written({**BEAT, "state": FAILED, "error": "x" * 30_000_000}),
    "a number with 10,000 digits": written(f'{{"pid": {"9" * 10_000}}}'),
    "a pid of -1": written({**BEAT, "pid": -1}),
    "a pid of 2**40": written({**BEAT, "pid": 2**40}),
    "a pid that is a text": written({**BEAT, "pid": "4711"}),
    "a pid that is true": written({**BEAT, "pid": True}),
    "a state that is a list": written({**BEAT, "state": [RUNNING]}),
    "a state that is none": written({**BEAT, "state": "dancing"}),
    "a time of another age": written({**BEAT, "beat": 2**62}),
    "a time below 0": written({**BEAT, "beat": -1}),
    "an entry below all": written({**BEAT, "entry": -(2**62)}),
    "an infinite number": written('{"beat": 1e999}'),
    "a name with line breaks": written({**BEAT, "host": "h\nroot: all is well"}),
    "a start that is a number": written({**BEAT, "process_start": 1}),
    "an unknown field": written({**BEAT, "pulse": 60}),
    "another format": written({**BEAT, "format": 99}),
    "a format that is none": written({**BEAT, "format": [2]}),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_no_driver_writes_is_unreadable_and_harms_no_other(
    tmp_path: Path, bad: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airflow_nrt.triggers.driver.WATCHER", Watcher(limit=5.0))
    good = new_home(tmp_path / "good")
    victims = [Home.at(tmp_path / f"bad{n}") for n in range(THREADS)]
    for home in victims:
        home.heartbeats.local.mkdir(parents=True)
        BAD[bad](home.heartbeats.local / "1.json")
        with pytest.raises(HomeError, match=r"the heartbeat .* can't be read|take it away|not read|has format 99"):
            read_heartbeat(home.heartbeats)

    async def watch() -> dict[str, Any]:
        others = [asyncio.create_task(event_of(watching(home))) for home in victims]
        found = await asyncio.wait_for(event_of(watching(good)), 20)
        assert not any(other.done() for other in others)
        for other in others:
            other.cancel()
        return found

    beat(good, 1, FINISHED)
    assert asyncio.run(watch())["kind"] == ENDED
    told = "".join(capfd.readouterr())
    assert told.count("says nothing about its driver") <= THREADS and len(told) < 2000 * THREADS


def test_a_home_that_stays_unreadable_is_told_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    home = new_home(tmp_path)
    home.heartbeats.local.mkdir(exist_ok=True)
    (home.heartbeats.local / "1.json").write_text("{")
    threading.Timer(0.4, lambda: beat(home, 1, FINISHED)).start()
    assert asyncio.run(asyncio.wait_for(event_of(watching(home)), 20))["kind"] == ENDED
    assert "".join(capfd.readouterr()).count("says nothing about its driver") == 1


@pytest.mark.parametrize("wrong", [ValueError, RecursionError, OverflowError, MemoryError, AttributeError, SystemError])
@pytest.mark.parametrize("kind", [NrtDriverTrigger, NrtWindowTrigger])
def test_whatever_goes_wrong_with_a_look_ends_no_trigger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: type[Exception], kind: type[BaseTrigger]
) -> None:
    home = new_home(tmp_path)
    beat(home, 1, FINISHED, entry=fire(home, lease(home), 5000))
    looks: list[int] = []
    module = watcher if kind is NrtDriverTrigger else __import__("airflow_nrt.triggers.window", fromlist=["window"])
    name = "look" if kind is NrtDriverTrigger else "look_at_windows"
    look = getattr(module, name)

    def fail_first(*of: Any) -> Any:
        looks.append(1)
        if len(looks) < 3:
            raise wrong("x" * 1_000_000)
        return look(*of)

    monkeypatch.setattr(module, name, fail_first)
    trigger = (
        watching(home)
        if kind is NrtDriverTrigger
        else NrtWindowTrigger(str(home.path), "1970-01-01 00:00:03", poll_interval=0.05, earliest=0.0)
    )
    assert asyncio.run(asyncio.wait_for(event_of(trigger), 20))
    assert len(looks) == 3


def test_names_that_are_no_numbers_are_passed_over(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    beat(home, 1)
    for name in ("²3.json", "٣.json", "007.json", f"{'9' * 200}.json", "-1.json", "1e3.json", ".2.json"):
        (home.heartbeats.local / name).write_text("{")
    found = read_heartbeat(home.heartbeats)
    assert found is not None and found.epoch == 1


def test_a_directory_full_of_files_is_unreadable_and_not_listed_to_its_end(tmp_path: Path) -> None:
    for n in range(1100):
        (tmp_path / f"{n}.json").touch()
    with pytest.raises(HomeError, match="more than 1000 files"):
        read_heartbeat(posix_path(tmp_path))


# ---------------------------------------------------------------------------------------------------- texts


@pytest.mark.parametrize("letters", ["x", "\U0001f600", "\ud800", "\0\x1b[31m"])
def test_a_long_error_is_cut_where_it_is_written_and_can_be_read(tmp_path: Path, letters: str) -> None:
    error = letters * 5_000_000
    write_heartbeat(posix_path(tmp_path), Heartbeat(FAILED, 1, "h" * 255, 42, 0, "a" * 255, error=error))
    found = read_heartbeat(posix_path(tmp_path))
    assert found is not None and found.error is not None
    assert len(found.error) <= MOST_CHARACTERS
    assert found.error.encode().decode() == found.error and "\0" not in found.error and "\x1b" not in found.error
    assert len(str(LaunchFailedError(error, False))) <= MOST_CHARACTERS


def test_a_long_error_of_a_home_is_cut_in_the_event_of_its_trigger(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    home.heartbeats.local.mkdir(exist_ok=True)
    crafted = {**BEAT, "state": FAILED, "error": "é" * 20_000, "beat": now_ms()}
    (home.heartbeats.local / "1.json").write_text(json.dumps(crafted, ensure_ascii=False))
    event = asyncio.run(asyncio.wait_for(event_of(watching(home)), 20))
    assert event["kind"] == BROKEN and len(event["why"]) <= MOST_CHARACTERS + 100


@given(st.text(st.characters(), max_size=200))
def test_a_shortened_text_stays_as_it_is(text: str) -> None:
    once = shortened(text, 100)
    assert len(once) <= 100 and shortened(once, 100) == once
    once.encode()


# ---------------------------------------------------------------------------------------------------- fuzz

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = sorted({*BEAT, "beat", "error", "final", "entry", "progress", "launch", "pending_bytes", "process_start"})


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4), st.randoms(use_true_random=False))
def test_any_heartbeat_is_read_or_unreadable(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any], chance: random.Random
) -> None:
    directory = posix_path(tmp_path_factory.mktemp("heartbeats"))
    content = json.dumps({**BEAT, **fields}).encode()
    if chance.random() < 0.3:
        at = chance.randrange(len(content))
        content = content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
    (directory / "1.json").replace(content)
    try:
        found = read_heartbeat(directory)
    except HomeError as unreadable:
        assert len(str(unreadable)) < MOST_CHARACTERS
        return
    assert found is not None
    write_heartbeat(directory / "again", found)


# ---------------------------------------------------------------------------------------------------- file systems


def test_a_file_system_that_hangs_holds_no_thread_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "file_system_of", lambda path: path.split("/")[1])
    over, reading = threading.Event(), Watcher(threads=2, limit=0.3)

    async def ask() -> tuple[list[Any], list[int]]:
        hung = [reading.read(f"/hung/{n}", "driver", over.wait) for n in range(50)]
        refused = await asyncio.gather(*hung, return_exceptions=True)
        return refused, [await reading.read(f"/fine/{n}", "driver", lambda: 1) for n in range(5)]

    try:
        refused, answers = asyncio.run(ask())
        assert [type(one) for one in refused] == [Unreadable] * 50 and answers == [1] * 5
        assert sum(thread.name.startswith("nrt-watcher hung") for thread in threading.enumerate()) == 2
    finally:
        over.set()


TABLE = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:20 / /tmp rw shared:2 - tmpfs tmpfs rw
30 21 0:50 / /mnt/team\\040homes rw shared:3 - nfs4 nas:/homes rw
31 21 0:50 /eu /eu rw shared:3 - nfs4 nas:/homes rw
32 30 0:51 / /mnt/team\\040homes/a/b rw - fuse.sshfs host: rw
"""


@pytest.mark.parametrize(
    "path, device",
    [
        ("/homes/curve", "8:1"),
        ("/tmp/curve", "0:20"),
        ("/mnt/team homes/curve", "0:50"),
        ("/eu/../eu/curve", "0:50"),
        ("/mnt/team homes/a/b/c", "0:51"),
        ("/mnt/team", "8:1"),
    ],
)
def test_a_file_system_is_known_from_the_table_of_mounts(path: str, device: str) -> None:
    assert device_of(path, parse_mounts(TABLE)) == device


def test_a_link_is_followed_to_the_file_system_that_may_hang_and_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung = tmp_path / "hung"
    (tmp_path / "homes").symlink_to("hung/homes")
    (tmp_path / "loop").symlink_to("loop")
    mounts = {"/": Mount("8:1", True), str(hung): Mount("0:50", False)}
    asked: list[str] = []
    read = os.readlink
    monkeypatch.setattr(os, "readlink", lambda path: asked.append(str(path)) or read(path))
    assert device_of(f"{tmp_path}/homes/curve", mounts) == "0:50"
    assert not any(path.startswith(str(hung)) for path in asked)
    assert device_of(f"{tmp_path}/loop/curve", mounts) == "8:1"
