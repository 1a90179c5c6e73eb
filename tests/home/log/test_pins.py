"""Pins follow from the log: an undo makes one, a restatement that knew of it may end it."""

from __future__ import annotations

import json
from dataclasses import replace

from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.entries import Entry, Fill, Position, Published, Restate, Tick, Undo, entry_from_json
from airflow_nrt.home.log.home_state import HomeState
from airflow_nrt.home.log.named_files import NamedFile

ANNA = Author("anna", "undo")


def restate(n: int, **more: object) -> Entry:
    return Entry(n, "restate", None, 1000 * n, "id", Restate((), (), "backfill", {}, n - 1, **more))  # type: ignore[arg-type]


def undo(n: int, end: int = 7, insert: str = "curve") -> Entry:
    return restate(n, by=ANNA, cause="why", undo=Undo(insert, end, 1, f"versions/{n}-a/set/{insert}"))


def state(*entries: Entry) -> HomeState:
    found = HomeState()
    for entry in entries:
        found = found.apply(entry)
    return found


def test_an_undo_pins_its_window() -> None:
    (pin,) = state(undo(4)).pins
    assert (pin.insert, pin.end, pin.entry, pin.at, pin.version, pin.reason) == ("curve", 7, 4, 4000, 1, "why")
    assert str(pin) == "set by anna (airflow-nrt undo) on 1970-01-01 00:00:04 UTC: why"
    assert [one.entry for one in state(undo(4), undo(5, 8), undo(6)).pins] == [5, 6]


def test_what_did_not_know_of_a_pin_does_not_end_it() -> None:
    ends = {"curve": (7,)}
    assert state(undo(4), restate(6, unpinned=ends)).pins == ()
    asked_before = restate(6, unpinned=ends)
    asked_before = replace(asked_before, body=replace(asked_before.body, as_of=3))  # type: ignore[type-var]
    for other in (restate(6), restate(6, unpinned={"other": (7,)}), asked_before):
        assert len(state(undo(4), other).pins) == 1


WINDOW = Published("more", 0, 7, "complete", 1, "", "staged/1/a", "a")


def test_a_table_that_is_filled_has_those_of_its_twin() -> None:
    fill = Entry(6, "fill", 1, 6000, "id", Fill("more", "curve", (WINDOW,), 1))
    assert [(one.insert, one.entry) for one in state(undo(4), fill).pins] == [("curve", 4), ("more", 4)]


def test_a_stream_that_begins_later_ends_those_of_its_windows() -> None:
    published = replace(WINDOW, insert="curve"), replace(WINDOW, insert="curve", end=9)
    tick = Entry(6, "tick", 1, 6000, "id", Tick(published, 0, Position()))
    assert [one.end for one in state(undo(4), undo(5, 8), tick).pins] == [8]


def test_they_are_read_as_they_are_written() -> None:
    kept = {"versions/4-a/replaced/curve": (NamedFile("a.parquet", 1, 2),)}
    for entry in (undo(4), restate(5, kept=kept, unpinned={"curve": (7,)}), restate(6)):
        assert entry_from_json(json.loads(json.dumps(entry.to_json()))) == entry
    # An earlier version reads an entry that has none of this.
    assert {"by", "cause", "kept", "undo", "unpinned"}.isdisjoint(restate(6).to_json())
