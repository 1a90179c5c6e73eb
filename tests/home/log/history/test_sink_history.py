"""What readers saw at a time, and the changes that led there, from entries of the log alone."""

from __future__ import annotations

from airflow_nrt.home.log.entries import Entry, Position, Published, Tick
from airflow_nrt.home.log.history.sink_history import changes, standing_at


def version(end: int, state: str, rows: int, target: str | None = None) -> Published:
    return Published("curve", end - 10, end, state, rows, "", "", f"{end}.json" if target is None else target)


def entry(n: int, *published: Published, removed: tuple[str, ...] = ()) -> Entry:
    return Entry(n, "tick", 1, 1000 * n, "", Tick(published, 0, Position(), removed))


LOG = [
    entry(1, version(10, "early", 1)),
    entry(2, version(10, "complete", 2), version(20, "early", 1)),
    entry(3, removed=("curve/20.json",)),
    entry(4, version(20, "early", 3), version(10, "late", 4)),
]


def test_changes() -> None:
    told = [(one.entry, one.op, one.published.end, one.published.rows) for one in changes(LOG)]
    assert told == [
        (1, "+I", 10, 1), (2, "+U", 10, 2), (2, "+I", 20, 1), (3, "-D", 20, 1), (4, "+I", 20, 3), (4, "+U", 10, 4)
    ]  # fmt: skip


def test_what_a_reader_saw() -> None:
    def seen(at: int | None) -> list[tuple[int | None, str, int]]:
        return [(one.published.end, one.published.state, one.published.rows) for one in standing_at(LOG, at)]

    assert seen(999) == []
    assert seen(1000) == [(10, "early", 1)]
    assert seen(2999) == [(10, "complete", 2), (20, "early", 1)]
    assert seen(3000) == [(10, "complete", 2)]
    assert seen(None) == [(10, "late", 4), (20, "early", 3)]


def test_prints_have_no_place() -> None:
    log = [entry(1, version(10, "early", 1, ""), version(20, "early", 1, "")), entry(2, version(10, "complete", 2, ""))]
    assert [one.op for one in changes(log)] == ["+I", "+I", "+U"]
