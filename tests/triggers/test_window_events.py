"""The event trigger on real homes; a dictionary stands for Airflow's state store."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from airflow.sdk.serde import deserialize, serialize

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import OperatorState, Position, Published, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.triggers import watcher, window_events
from airflow_nrt.triggers.cursor import Cursor
from airflow_nrt.triggers.window_events import NrtWindowEventTrigger
from tests.clock import Clock
from tests.launch.homes import lease, new_home
from tests.triggers.looks import Looks

LOOKS = 6
"""Two of them may belong together: before and after a question to Airflow."""


@pytest.fixture(autouse=True)
def looks(monkeypatch: pytest.MonkeyPatch) -> Looks:
    looks = Looks()
    monkeypatch.setattr("airflow_nrt.triggers.watcher.WATCHER", looks)
    return looks


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(window_events, "time", clock)
    return clock


class Store:
    """The state store of the one asset that is asked for."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def __getitem__(self, asset: Any) -> Store:
        return self

    async def aget(self, key: str) -> Any:
        return self.kept.get(key)

    async def aset(self, key: str, value: Any) -> None:
        self.kept[key] = value


def trigger(path: Path, store: Store, **options: Any) -> NrtWindowEventTrigger:
    made = NrtWindowEventTrigger("curve_log", str(path), **{"poll_interval": 0.01, **options})
    made.asset_state_store = store  # type: ignore[assignment]
    return made


def complete(writer: Writer, end: int) -> int:
    published = Published("orders_curve", end - 10, end, "complete", 1, "", "staged/none", f"{end}.json")
    state = OperatorState(watermark=end, fired=end)
    return writer.append(Tick((published,), 0, Position(operators={"operator": state}))).n


def age(home: Home) -> None:
    """What is in the log was written long ago."""
    for file in home.log_directory.local.glob("*.json"):
        file.write_text(json.dumps({**json.loads(file.read_text()), "time": 0}))


def events(watching: NrtWindowEventTrigger, act: Any = None) -> list[int]:
    """The entries of the events of some looks before `act` and of some after it."""
    looks: Looks = watcher.WATCHER  # type: ignore[assignment]

    async def listen() -> list[int]:
        found: list[int] = []

        async def collect() -> None:
            async for event in watching.run():
                found.append(event.payload["entry"])

        listening = asyncio.create_task(collect())
        await looks.pass_by(LOOKS)
        if act is not None:
            act()
            await looks.pass_by(LOOKS)
        listening.cancel()
        return found

    return asyncio.run(listen())


def claim(store: Store, home: Home, until: int) -> None:
    for kind in ("complete", "restated"):
        store.kept[kind] = Cursor(home.identity().id, -1, until, "run").to_json()


def test_it_survives_its_way_through_the_database() -> None:
    path, arguments = NrtWindowEventTrigger("curve_log", "h", "curve", None, True, 2.0).serialize()
    assert path == "airflow_nrt.triggers.window_events.NrtWindowEventTrigger"
    assert NrtWindowEventTrigger(**deserialize(serialize(arguments))).serialize() == (path, arguments)


def test_it_fires_for_what_is_new_once_until_that_is_claimed(tmp_path: Path) -> None:
    home, store = new_home(tmp_path), Store()
    writer = lease(home)
    complete(writer, 10)
    age(home)
    watching = trigger(home.path, store)
    assert events(watching) == []
    assert store.kept["complete"] == store.kept["restated"] == Cursor(home.identity().id, 1, 1).to_json()
    assert events(watching, lambda: complete(writer, 20)) == [2]
    assert events(watching) == [2], "a restarted triggerer says it again: nobody has claimed it"
    claim(store, home, 2)
    assert events(watching, lambda: complete(writer, 30)) == [3]


def test_a_claim_that_no_run_has_confirmed_wakes_the_dispatcher_again(tmp_path: Path, clock: Clock) -> None:
    home, store = new_home(tmp_path), Store()
    last = complete(lease(home), 10)
    claim(store, home, last)
    watching = trigger(home.path, store)
    assert events(watching) == [], "its run may be at work"
    assert events(watching, lambda: clock.sleep(301)) == [0]

    for kind in ("complete", "restated"):
        store.kept[kind] = Cursor(home.identity().id, last, last, "another run").to_json()
    assert events(watching, lambda: clock.sleep(301)) == []


def test_the_claim_of_a_home_that_is_gone_wakes_nobody(tmp_path: Path, clock: Clock) -> None:
    home, store = new_home(tmp_path), Store()
    claim(store, home, complete(lease(home), 10))
    home.path.rename(tmp_path / "elsewhere")
    assert events(trigger(home.path, store), lambda: clock.sleep(301)) == []


def test_a_home_that_is_made_later_is_told_from_its_first_window(tmp_path: Path) -> None:
    store = Store()

    def begin() -> None:
        complete(lease(new_home(tmp_path)), 10)

    assert events(trigger(tmp_path / "home", store), begin) == [1]
    assert store.kept["complete"] == Cursor("", -1, -1).to_json()


def test_what_was_published_just_before_the_first_look_is_new(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    writer = lease(home)
    complete(writer, 10)
    age(home)
    second = complete(writer, 20)
    assert events(trigger(home.path, Store())) == [second]


def test_catching_up_begins_at_the_first_entry(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    first = complete(lease(home), 10)
    age(home)
    assert events(trigger(home.path, Store(), catchup=True)) == [first]


def test_a_home_that_was_made_anew_is_read_from_its_begin(tmp_path: Path) -> None:
    home, store = new_home(tmp_path), Store()
    first = complete(lease(home), 10)
    for kind in ("complete", "restated"):
        store.kept[kind] = Cursor("another", 500, 900, "run").to_json()
    assert events(trigger(home.path, store)) == [first]


def test_windows_of_other_tables_wake_nobody_and_are_read_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, store = new_home(tmp_path), Store()
    claim(store, home, -1)
    complete(lease(home), 10)
    watching = trigger(home.path, store, table="another")
    assert events(watching) == []
    (home.log_directory.local / "1.json").write_text("{")
    assert events(watching) == []
    assert "can't be watched" not in capsys.readouterr().out


def test_results_that_wait_for_long_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, store = new_home(tmp_path), Store()
    claim(store, home, -1)
    entry = complete(lease(home), 10)
    (home.staged.local / "none").mkdir()
    watching = trigger(home.path, store)
    assert events(watching) == []
    assert "not published" not in capsys.readouterr().out, "its process is at work"
    age(home)
    assert events(watching, (home.staged.local / "none").rmdir) == [entry]
    assert capsys.readouterr().out.count(f"what entry {entry} decided is not published") == 1


def test_it_goes_on_after_a_home_that_can_t_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, store = new_home(tmp_path), Store()
    claim(store, home, -1)
    complete(lease(home), 10)
    entry = home.log_directory.local / "1.json"
    content = entry.read_bytes()
    entry.write_text("{")
    assert events(trigger(home.path, store), lambda: entry.write_bytes(content)) == [1]
    assert "can't be watched" in capsys.readouterr().out
