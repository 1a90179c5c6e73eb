"""What readers of the sinks saw, and when it changed: folded from the log, window by window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from airflow_nrt.home.log.entries import Entry, Published

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
    places: dict[str, tuple[str, str]] = {}
    for entry in entries:
        for one in entry.published:
            place = _place(one)
            known = place in standing and one.end is not None
            op = CHANGED if one.state == "changed" else REPLACED if known else ADDED
            standing[place] = one
            places[f"{one.insert}/{one.target}"] = place
            yield Change(entry.n, entry.time, op, one)
        for target in entry.removed:
            gone = standing.get(places.pop(target, ("", "")))
            if gone is not None and f"{gone.insert}/{gone.target}" == target:
                del standing[_place(gone)]
                yield Change(entry.n, entry.time, REMOVED, gone)


def standing_at(entries: Iterable[Entry], at: int | None = None) -> list[Change]:
    """By insert and window what was visible at a time (ms of the wall clock; None: now), each with its last change."""
    seen: dict[tuple[str, str], Change] = {}
    for one in changes(entry for entry in entries if at is None or entry.time <= at):
        place = _place(one.published)
        if one.op == REMOVED:
            del seen[place]
        else:
            seen[place] = one
    return sorted(seen.values(), key=lambda one: (one.published.insert, one.published.end or 0))


def _place(one: Published) -> tuple[str, str]:
    """What its next version has in common with it: the file, or the window where each version has its own."""
    return one.insert, str(one.end) if one.told or not one.target else one.target
