"""Entries that somebody still needs stay."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.describe.verdict import InsertVerdict, Verdict
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.entries import Position, Published, Restate, SourceState, Tick, Versions
from airflow_nrt.home.notes.followers import followers_of, following, note_follower
from airflow_nrt.home.notes.verdicts import keep_verdict
from tests.home.retention.logs import LongHome
from tests.home.short_logs import VOLUME, short_volumes

__all__ = ["short_volumes"]

DAY = 86_400_000


def held(long: LongHome, **more: object) -> str | None:
    retention = replace(long.retention(Keep(0, DAY)), **more)  # type: ignore[type-var]
    log = long.home.log()
    while retention.step(log):
        pass
    return retention.held


@pytest.fixture
def long(tmp_path: Path) -> LongHome:
    return LongHome(tmp_path)


def test_nothing_is_held_of_what_nobody_needs(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    assert held(long) is None and long.home.log().first == 4 * VOLUME


def test_without_the_option_entries_stay_for_ever(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    assert held(long, keep=Keep(None, DAY)) is None and long.home.log().first == 0
    assert "0-15.jsonl.xz" in long.names()


def test_young_entries_stay(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    assert held(long, keep=Keep(DAY, DAY)) is None and long.home.log().first == 0


def test_a_follower_holds_what_it_has_not_read(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    note_follower(long.home, "the dispatcher", 2 * VOLUME + 3)
    assert held(long) == f"the dispatcher needs the log from entry {2 * VOLUME + 3} on"
    assert long.home.log().first == 2 * VOLUME
    note_follower(long.home, "the dispatcher", 5 * VOLUME)
    assert held(long) is None and long.home.log().first == 4 * VOLUME


def test_a_follower_that_is_not_seen_expires(long: LongHome, monkeypatch: pytest.MonkeyPatch) -> None:
    long.grow(5 * VOLUME)
    note_follower(long.home, "an old friend", 0)
    (path,) = long.home.followers.local.iterdir()
    note = json.loads(path.read_text())
    path.write_text(json.dumps({**note, "seen": note["seen"] - DAY - 1}))
    assert held(long) is None and long.home.log().first == 4 * VOLUME
    assert followers_of(long.home, DAY) == [] and not path.exists()


def test_one_that_can_t_be_read_is_waited_for(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    note_follower(long.home, "somebody", 0)
    (path,) = long.home.followers.local.iterdir()
    path.write_bytes(b"{")
    with pytest.raises(Exception, match="the follower of a log"):
        held(long)
    assert long.home.log().first == 0


def test_a_backfill_in_flight_holds_all(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    with following(long.home, "a backfill"):
        assert (held(long) or "").startswith("a backfill ") and long.home.log().first == 0
    assert held(long) is None and long.home.log().first == 4 * VOLUME


def test_results_that_may_not_be_published(long: LongHome) -> None:
    long.grow(3 * VOLUME)
    note = (long.home.path / "checkpoints" / "settled.json").read_bytes()
    long.grow(2 * VOLUME)
    (long.home.path / "checkpoints" / "settled.json").write_bytes(note)
    assert held(long) == f"not all results up to log entry {4 * VOLUME - 1} are known to be published"
    assert long.home.log().first == 3 * VOLUME


def test_marks_of_tables(long: LongHome) -> None:
    """A table that lacks results of an entry holds it, one that has nothing of later entries does not."""
    long.grow(5 * VOLUME)
    results = [entry.n for entry in long.all if entry.published]
    before = max(n for n in results if n < VOLUME)
    assert held(long, marks=lambda: {"other": -1, "sales": before}) == (
        f"the table of sales has its results only up to log entry {before}"
    )
    assert long.home.log().first == VOLUME
    assert held(long, marks=lambda: {"other": -1, "sales": results[-1]}) is None


def test_a_table_that_is_being_filled(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    assert held(long, is_filling=lambda: True) == "a table that was added to the report is not filled yet"


def test_a_doubt_until_a_verification_has_settled_it(long: LongHome) -> None:
    long.grow(5)
    long.restate(Restate((), (), "repair", {"w1": 4}, 4))
    doubt = long.all[-1].n
    long.grow(5 * VOLUME)
    assert f"log entry {doubt} doubts windows of operator w1" in (held(long) or "")
    assert long.home.log().first == 0
    proven = InsertVerdict("sales", 1, 1, 0, 0, 0, {})
    keep_verdict(long.home, Verdict("report", "", doubt - 1, None, None, (proven,)))
    assert held(long) is not None
    keep_verdict(long.home, Verdict("report", "", long.log.last, None, 4, (proven,)))
    assert held(long) is None and long.home.log().first == 4 * VOLUME


def test_a_doubt_that_is_open(long: LongHome) -> None:
    long.grow(3)
    long.restate(Restate((), (), "repair", {"w1": 10**9}, 2))
    long.grow(5 * VOLUME)
    assert "carried state of operator w1 is in doubt" in (held(long) or "")


def test_a_window_that_may_still_change(long: LongHome) -> None:
    long.grow(VOLUME + 2)
    opened = Published("sales", 0, 777, "early", 1, "0", "staged/1-a/f", "777.csv")
    sources = {"orders": SourceState(files=1)}
    standing = Position(sources, versions={"sales": Versions(standing={777: "777.csv"})})
    long.append(Tick((opened,), 0, standing))
    entry = long.log.last
    long.grow(4 * VOLUME)
    long.append(Tick((), 0, standing))
    long.keep_up()
    assert held(long) == f"log entry {entry} published a window of sales that may still change"
    assert long.home.log().first == VOLUME
    long.append(Tick((), 0, Position(sources)))
    assert held(long) is None


def test_a_home_that_an_older_version_drove_last(long: LongHome, tmp_path: Path) -> None:
    """Its drivers know neither volumes nor a floor: nothing is bound or removed."""
    long.grow(5 * VOLUME)
    path = long.home.log_directory.local / f"{long.log.last}.json"
    path.write_bytes(path.read_bytes().replace(b'"format":5', b'"format":4'))
    assert held(long) is None and not any(name.endswith(".gz") for name in long.names())


def test_a_home_that_has_read_nothing(long: LongHome) -> None:
    for _ in range(5 * VOLUME):
        long.append(Tick((), 0, Position()))
    long.keep_up()
    assert held(long) == "no stream has read anything here"


def test_what_would_go_is_said_before(long: LongHome) -> None:
    long.grow(5 * VOLUME)
    log, retention = long.home.log(), long.retention()
    while log.bind_volume():
        pass
    before = long.names()
    found = list(retention.removals(log))
    assert [one.last for one in found] == [n * VOLUME - 1 for n in range(1, 5)]
    assert all(one.size > 0 for one in found) and long.names() == before
    # The state of the last one: its rows are in windows that end five ms after it.
    assert found[-1].provable_from == 4 * VOLUME - 1 + 5
    long.retain()
    assert Home(long.home.path).log().beginning() == found[-1].beginning
