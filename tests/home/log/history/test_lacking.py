"""Which windows an added table lacks, by the log alone."""

from __future__ import annotations

from airflow_nrt.home.log.entries import Body, Entry, Fill, Position, Published, Restate, Tick, entry_kind
from airflow_nrt.home.log.history.lacking import lacking
from airflow_nrt.home.log.history.sink_history import ADDED, REPLACED, Change


def of(insert: str, *ends: int) -> tuple[Published, ...]:
    return tuple(Published(insert, end - 1, end, "complete", 1, "", f"staged/1-a/{end}", f"{end}.json") for end in ends)


def tick(*published: Published) -> Tick:
    return Tick(published, 0, Position())


def restated(*published: Published) -> Restate:
    return Restate(published, (), "backfill", {}, 0)


def found(*bodies: Body) -> list[Change]:
    entries = [Entry(n, entry_kind(body), 1, 0, "", body) for n, body in enumerate(bodies)]
    return lacking(entries, {"added": "curve"}).get("added", [])


def lacks(*bodies: Body) -> list[tuple[int | None, int]]:
    """The ends of the windows that `added` lacks, each with the entry by which `curve` got it."""
    return [(one.published.end, one.entry) for one in found(*bodies)]


BEFORE = tick(*of("curve", 1, 2, 3))
BOTH = tick(*of("curve", 4), *of("added", 4))
FILLED = Fill("added", "curve", of("added", 1, 2), since=0)


def test_what_was_published_before_it_came() -> None:
    assert lacks(BEFORE) == [(1, 0), (2, 0), (3, 0)]
    assert lacks(BEFORE, BOTH) == [(1, 0), (2, 0), (3, 0)]
    assert lacks(BEFORE, BOTH, FILLED) == [(3, 0)]
    assert lacking([], {}) == {}


def test_a_window_that_was_restated_for_its_twin_alone() -> None:
    entries = [BEFORE, BOTH, FILLED, restated(*of("curve", 2, 4))]
    assert lacks(*entries) == [(2, 3), (3, 0), (4, 3)]
    assert [one.op for one in found(*entries)] == [REPLACED, ADDED, REPLACED]
    assert lacks(BEFORE, BOTH, FILLED, restated(*of("curve", 2), *of("added", 2))) == [(3, 0)]


def test_a_window_that_is_gone_is_not_looked_for_until_it_is_back() -> None:
    gone = Fill("added", "curve", (), since=0, absent=(3,))
    assert lacks(BEFORE, BOTH, FILLED, gone) == []
    assert lacks(BEFORE, BOTH, FILLED, gone, restated(*of("curve", 3))) == [(3, 4)]
