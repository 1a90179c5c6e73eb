"""Entries of the log: what is written is read again, and nothing else is taken for an entry."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.log.entries import (
    Body,
    Commit,
    Entry,
    Lateness,
    Lease,
    OperatorState,
    Position,
    Published,
    Restate,
    SourceState,
    StateFile,
    Tick,
    entry_from_json,
    entry_kind,
)
from airflow_nrt.home.log.splits import SourceFile

NUMBERS = st.integers(-(2**62), 2**62)
MAYBE = st.none() | NUMBERS
NAMES = st.text(max_size=8)


def tuples(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(values, max_size=2).map(tuple)


def mappings(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.dictionaries(NAMES, values, max_size=2)


FILES = tuples(st.builds(SourceFile, NAMES, NUMBERS, NUMBERS, st.booleans()))
STATE_FILES = tuples(st.builds(StateFile, NAMES, NUMBERS, NUMBERS, NUMBERS))
PUBLISHED = tuples(st.builds(Published, NAMES, MAYBE, MAYBE, NAMES, NUMBERS, NAMES, NAMES, NAMES))
OPERATORS = st.builds(OperatorState, MAYBE, MAYBE, STATE_FILES, STATE_FILES, MAYBE)
SOURCES = st.builds(SourceState, MAYBE, st.booleans(), st.booleans(), NUMBERS, NUMBERS, NUMBERS)
POSITIONS = st.builds(
    Position, mappings(SOURCES), mappings(OPERATORS), NUMBERS, NUMBERS, NUMBERS, mappings(STATE_FILES)
)
BODIES: st.SearchStrategy[Body] = st.one_of(
    st.builds(Lease, NAMES, NUMBERS, NAMES),
    st.builds(
        Commit,
        NAMES,
        FILES,
        NUMBERS,
        NUMBERS,
        mappings(MAYBE),
        mappings(NUMBERS),
        tuples(st.builds(Lateness, NAMES, NUMBERS, NUMBERS)),
        st.none() | NAMES,
        PUBLISHED,
        POSITIONS,
    ),
    st.builds(Tick, PUBLISHED, NUMBERS, POSITIONS),
    st.builds(Restate, PUBLISHED, tuples(NAMES), NAMES, mappings(NUMBERS), NUMBERS),
)


@given(BODIES, NUMBERS, MAYBE)
def test_round_trip(body: Body, n: int, epoch: int | None) -> None:
    entry = Entry(n, entry_kind(body), epoch, 7, "id", body)
    assert entry_from_json(json.loads(json.dumps(entry.to_json()))) == entry


def test_a_position_knows_its_state_files() -> None:
    rows, closed = StateFile("a", 0, 1, 1), StateFile("b", 0, 1, 1)
    operators = {"w1": OperatorState(rows=(rows,)), "w2": OperatorState(closed=(closed,))}
    position = Position(operators=operators, updating={"u1": (StateFile("c", 0, 1, 1),)})
    assert position.files() == {"a", "b", "c"}
    assert Position().files() == frozenset()


def test_what_an_entry_gives() -> None:
    position = Position(windows=3)
    assert Entry(0, "lease", 1, 0, "", Lease("h", 1, "a")).published == ()
    assert Entry(0, "lease", 1, 0, "", Lease("h", 1, "a")).position is None
    assert Entry(1, "tick", 1, 0, "", Tick((), 0, position)).position == position
    assert Entry(2, "restate", None, 0, "", Restate((), (), "repair", {}, 0)).position is None


LEASE = Entry(4, "lease", 1, 0, "id", Lease("host", 1, "application")).to_json()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {**LEASE, "kind": "party"},
        {key: value for key, value in LEASE.items() if key != "host"},
        {**LEASE, "kind": "commit"},
        {**LEASE, "kind": "restate", "published": 7, "removed": [], "reason": "", "suspects": {}},
        {**LEASE, "kind": "tick", "clock": 1, "published": [{"insert": "x"}], "position": {}},
    ],
)
def test_what_is_no_entry_is_an_error(data: dict) -> None:
    with pytest.raises(HomeError, match=r"log entry (4|\?) (is not readable|can't be read)"):
        entry_from_json(data)
