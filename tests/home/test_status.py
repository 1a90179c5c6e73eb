"""The sign of life, and how a report is doing."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.heartbeat import ENDED, FENCED, RUNNING, Heartbeat, now_ms, read_heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease, OperatorState, Position, Restate, SourceState, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.status import STALE_MS, read_status
from tests.sample import plan_of

BEAT = Heartbeat(RUNNING, 1, "host", 42, 0, "application", pending_files=2, pending_bytes=10)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", plan_of())


def test_a_heartbeat_is_read_as_written_and_stamped(home: Home) -> None:
    assert read_heartbeat(home.heartbeats) is None
    before = now_ms()
    write_heartbeat(home.heartbeats, BEAT)
    beat = read_heartbeat(home.heartbeats)
    assert beat is not None
    assert {**asdict(beat), "beat": 0} == asdict(BEAT)
    assert before <= beat.beat <= now_ms()
    assert beat.age(beat.beat + 5) == 5


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"state": "running"}', '{"pulse": 60}'])
def test_an_unreadable_heartbeat_is_an_error(home: Home, content: str) -> None:
    home.heartbeats.local.mkdir()
    (home.heartbeats.local / "1.json").write_text(content)
    with pytest.raises(HomeError, match=r"the heartbeat .* can't be read"):
        read_heartbeat(home.heartbeats)


def test_the_newest_epoch_counts_whoever_wrote_last(home: Home) -> None:
    write_heartbeat(home.heartbeats, BEAT)
    write_heartbeat(home.heartbeats, replace(BEAT, epoch=10))
    assert [path.name for path in home.heartbeats.local.iterdir()] == ["10.json"]
    write_heartbeat(home.heartbeats, replace(BEAT, epoch=9, state=FENCED))
    beat = read_heartbeat(home.heartbeats)
    assert beat is not None and (beat.epoch, beat.state) == (10, RUNNING)


def test_a_home_that_nobody_has_used(home: Home) -> None:
    status = read_status(home)
    assert (status.report, status.driver, status.entry, status.epoch) == ("curve", "none", -1, 0)
    assert (status.watermark, status.last_window, status.lag, status.age) == (None, None, None, None)
    json.dumps(status.to_json())


@pytest.mark.parametrize("state", [RUNNING, *ENDED])
def test_a_driver_that_stops_beating_without_ending_is_silent(home: Home, state: str) -> None:
    write_heartbeat(home.heartbeats, Heartbeat(state, 1, "host", 42, 0, "application"))
    beat = read_heartbeat(home.heartbeats)
    assert beat is not None
    assert read_status(home, beat.beat + STALE_MS - 1).driver == state
    later = read_status(home, beat.beat + STALE_MS).driver
    assert later == (state if beat.is_over else "silent")


def test_counts_come_from_the_last_position(home: Home) -> None:
    write_heartbeat(home.heartbeats, BEAT)
    writer = Writer.begin(home.log(), Lease("host", 42, "application"))
    operators = {"w1": OperatorState(100, 90), "w2": OperatorState(80, 70), "w3": OperatorState()}
    sources = {"a": SourceState(rows=5, files=1, rejected=1), "b": SourceState(rows=7, files=2)}
    writer.append(Tick((), 0, Position(sources, operators, late=3, dropped=1, windows=9)))
    status = read_status(home)
    assert (status.epoch, status.entry, status.watermark, status.last_window) == (1, 1, 80, 70)
    assert (status.rows, status.files, status.rejected, status.late, status.dropped) == (12, 3, 1, 3, 1)
    assert (status.windows, status.pending_files, status.pending_bytes) == (9, 2, 10)
    assert status.age is not None and status.age >= 0


def test_carried_state_is_suspect_until_its_windows_are_complete(home: Home) -> None:
    writer = Writer.begin(home.log(), Lease("host", 42, "application"))
    writer.append(Tick((), 0, Position(operators={"w1": OperatorState(50, 50)})))
    for until in (40, 60):
        home.log().append(Restate((), (), "repair", {"w1": until}, 0), None)
    status = read_status(home)
    assert (status.restatements, status.suspects) == (2, {"w1": 60})
    writer.append(Tick((), 0, Position(operators={"w1": OperatorState(60, 60)})))
    assert read_status(home).suspects == {}
