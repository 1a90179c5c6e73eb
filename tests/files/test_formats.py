"""Formats of what a home holds: numbers, migrations, and what a newer version has written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Content, Format
from airflow_nrt.home.heartbeat import read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import launch_failure
from airflow_nrt.home.log.entries import Commit, StateFile, entry_from_json
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.launch.launch_records import last_launch
from tests.launch.homes import beat, fire, launch, lease
from tests.sample import plan_of


def doubled(content: Content) -> Content:
    return {"n": content["n"] * 2}


def named(content: Content) -> Content:
    return {"count": content["n"]}


def test_older_content_passes_each_step_from_its_own_on() -> None:
    third = Format("the thing", (doubled, named))
    assert third.read({"n": 4}, "x") == third.read({"format": 1, "n": 4}, "x") == {"count": 8}
    assert third.read({"format": 2, "n": 4}, "x") == {"count": 4}
    assert third.read(third.stamped({"count": 4}), "x") == {"count": 4}


@pytest.mark.parametrize("number", [0, -1, "1", None, 1.0, True])
def test_a_number_that_is_none(number: object) -> None:
    with pytest.raises(HomeError, match="the thing x can't be read: its format is"):
        Format("the thing").read({"format": number}, "x")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", plan_of())


def newer(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))


NEWER = "has format 99, and airflow-nrt .* reads formats up to .*: a newer version wrote it, so go on with that version"


def test_a_newer_report(home: Home) -> None:
    newer(home.report_file.local)
    for attempt in (lambda: Home.open(home.path), lambda: Home.create(home.path, plan_of())):
        with pytest.raises(HomeError, match=f"the report of a home .*report.json {NEWER}"):
            attempt()


def test_a_newer_entry(home: Home) -> None:
    fire(home, lease(home), 1)
    newer(home.log_directory.local / "1.json")
    with pytest.raises(HomeError, match=f"log entry 1 {NEWER}"):
        home.log().position()
    with pytest.raises(HomeError, match=f"log entry 1 {NEWER}"):
        lease(home)


def test_a_newer_heartbeat(home: Home) -> None:
    beat(home, 1)
    newer(home.heartbeats.local / "1.json")
    with pytest.raises(HomeError, match=f"the heartbeat .*1.json {NEWER}"):
        read_heartbeat(home.heartbeats)


def test_a_newer_launch_and_a_newer_note_of_its_failure(home: Home) -> None:
    launch(home, 1)
    newer(home.launches.local / "1.launch")
    with pytest.raises(HomeError, match=f"the launch record .*1.launch {NEWER}"):
        last_launch(home)
    (home.launches.local / "1.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(HomeError, match=NEWER):
        launch_failure(home, "1")


def test_a_newer_stop_request(home: Home) -> None:
    home.ask_to_stop()
    newer(home.stop_file.local)
    with pytest.raises(HomeError, match=f"the stop request .*stop {NEWER}"):
        home.is_stop_asked(1)


def committed(home: Home) -> Content:
    """A commit with a file of state, as it stands in the log."""
    from dataclasses import replace

    from airflow_nrt.home.log.entries import OperatorState, Position

    state = OperatorState(rows=(StateFile("state/w1/1", 0, 1, 5),))
    position = Position(operators={"w1": state}, updating={"u1": (StateFile("state/u1/1", 0, 1, 5),)})
    files = (SourceFile("/orders/a.csv", 3, 4),)
    body = Commit("orders", files, 1, 0, {}, {}, (), "ledger/1", (), position)
    writer = lease(home)
    entry = writer.append(replace(body))
    content: Content = json.loads((home.log_directory.local / f"{entry.n}.json").read_text())
    assert entry_from_json(content) == entry
    return content


def test_newer_files_of_state_and_newer_ledgers(home: Home) -> None:
    content = committed(home)
    content["position"]["updating"]["u1"][0]["format"] = 99
    with pytest.raises(HomeError, match=f"the state state/u1/1 {NEWER}"):
        entry_from_json(content)
    content = committed(home)
    content["position"]["operators"]["w1"]["rows"][0]["format"] = 99
    with pytest.raises(HomeError, match=f"the state state/w1/1 {NEWER}"):
        entry_from_json(content)
    content = committed(home)
    content["ledger_format"] = 99
    with pytest.raises(HomeError, match=f"the ledger ledger/1 {NEWER}"):
        entry_from_json(content)


def test_an_entry_of_format_1(home: Home) -> None:
    """It left out what the first versions did not know, and all numbers."""
    entry = committed(home)
    old = {name: value for name, value in entry.items() if name not in ("format", "removed", "ledger_format")}
    for state in (old["position"]["operators"]["w1"]["rows"][0], old["position"]["updating"]["u1"][0]):
        del state["format"]
    del old["position"]["operators"]["w1"]["complete"]
    for name in ("moments", "versions", "tables"):
        del old["position"][name]
    read = entry_from_json(old)
    assert isinstance(read.body, Commit)
    assert (read.body.ledger_format, read.body.removed) == (1, ())
    assert read.body.position.updating["u1"] == (StateFile("state/u1/1", 0, 1, 5, 1),)
    assert read.body.position.operators["w1"].complete is None
