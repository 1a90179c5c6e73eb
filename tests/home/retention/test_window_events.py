"""A window is complete once, also if the entry with its complete version is removed. What is passed over is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.home.log.entries import OperatorState, Position, Published, SourceState, Tick, Versions
from airflow_nrt.home.window_events import Completed, Restated, has_window_events, read_window_events
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes

__all__ = ["short_volumes"]


def version(end: int, state: str) -> Published:
    return Published("curve", end - 10, end, state, 1, "", "staged/none", f"{end}.json")


def at(complete: int, standing: dict[int, str]) -> Position:
    operators = {"w1": OperatorState(complete, complete - 10, complete=complete)}
    return Position({"orders": SourceState(1, files=1)}, operators, versions={"curve": Versions(standing=standing)})


def last_above_the_floor(place: Path, *below: Tick) -> LongHome:
    """The entries `below` are removed. The first one above the floor has the last version of the window up to 10."""
    long = LongHome(place)
    for tick in below:
        long.append(tick)
    for _ in range(VOLUME - long.log.last - 1):
        long.append(Tick((), 0, below[-1].position))
    long.append(Tick((version(10, "last"),), 0, at(20, {})))
    for _ in range(3 * VOLUME - long.log.last - 3):
        long.append(Tick((), 0, at(20, {})))
    long.keep_up()
    assert long.retain().first == VOLUME
    return long


@pytest.mark.parametrize("has_changed", [True, False])
def test_a_last_version_is_no_second_complete_one(tmp_path: Path, has_changed: bool) -> None:
    early = Tick((version(10, "early"),), 0, at(0, {10: "10.json"}))
    # A complete version without a change has no file.
    complete = version(10, "complete") if has_changed else replace(version(10, "complete"), target="", is_delta=True)
    long = last_above_the_floor(tmp_path, early, Tick((complete,), 0, at(10, {10: "10.json"})))
    assert read_window_events(long.home, Completed(), "curve", -1).ends == ()
    assert read_window_events(long.home, Restated(), "curve", -1).ends == (10,)
    log = long.home.log()
    assert has_window_events(log.read(VOLUME), log, "curve")


def test_a_last_version_after_early_ones_is_the_complete_one(tmp_path: Path) -> None:
    """The watermark passed both times at once, after the floor."""
    early = Tick((version(10, "early"),), 0, at(0, {10: "10.json"}))
    long = last_above_the_floor(tmp_path, early)
    assert read_window_events(long.home, Completed(), "curve", -1).ends == (10,)
    assert read_window_events(long.home, Restated(), "curve", -1).ends == ()


def test_a_window_without_rows_when_it_was_complete(tmp_path: Path) -> None:
    """All its rows were late: its last version is its first."""
    long = last_above_the_floor(tmp_path, Tick((), 0, at(10, {})))
    assert read_window_events(long.home, Completed(), "curve", -1).ends == (10,)


@pytest.mark.parametrize(("after", "first"), [(-1, 0), (4, 5), (VOLUME - 2, VOLUME - 1)])
def test_who_begins_below_the_floor_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, after: int, first: int
) -> None:
    long = last_above_the_floor(tmp_path, Tick((version(20, "complete"),), 0, at(20, {})))
    events = read_window_events(long.home, Completed(), "curve", after)
    assert (events.ends, events.until) == ((10,), long.log.last)
    (said,) = caplog.messages
    assert f"the log entries before {VOLUME} are removed, which were written up to " in said
    assert said.endswith(
        f"; windows of curve that entries {first} to {VOLUME - 1} have published become no asset events: run the DAGs "
        "that wait for them by hand"
    )


def test_who_begins_at_the_floor_misses_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    long = last_above_the_floor(tmp_path, Tick((), 0, at(10, {})))
    assert read_window_events(long.home, Completed(), "curve", VOLUME - 1).ends == (10,)
    assert caplog.messages == []
