"""What readers of the sinks saw, and when it changed: folded from the log, window by window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from airflow_nrt.report.entries import Entry, Published

ADDED, REPLACED, REMOVED, CHANGED = "+I", "+U", "-D", "±"
"""A window (or the rows of a batch) appeared, was replaced by a newer version, was taken away; rows changed singly."""


@dataclass(frozen=True)
class Change:
    """One file of results that an entry (with its time, ms) made visible or took away."""

    entry: int
    time: int
    op: str
    published: Published


def changes(entries: Iterable[Entry]) -> Iterator[Change]:
    """All changes in their order."""
    standing: dict[tuple[str, str], Published] = {}
    for entry in entries:
        for one in entry.published:
            place = (one.insert, one.target or str(one.end))
            known = place in standing and one.end is not None
            op = CHANGED if one.state == "changed" else REPLACED if known else ADDED
            standing[place] = one
            yield Change(entry.n, entry.time, op, one)
        for target in entry.removed:
            insert, _, path = target.partition("/")
            gone = standing.pop((insert, path), None)
            if gone is not None:
                yield Change(entry.n, entry.time, REMOVED, gone)


def standing_at(entries: Iterable[Entry], at: int | None = None) -> list[Change]:
    """By insert and window what was visible at a time (ms of the wall clock; None: now), each with its last change."""
    seen: dict[tuple[str, str], Change] = {}
    for one in changes(entry for entry in entries if at is None or entry.time <= at):
        place = (one.published.insert, one.published.target or str(one.published.end))
        if one.op == REMOVED:
            del seen[place]
        else:
            seen[place] = one
    return sorted(seen.values(), key=lambda one: (one.published.insert, one.published.end or 0))
