"""What was visible in the sinks, and when it changed: folded from the log, window by window."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from airflow_nrt.home.log.entries import ARCHIVED, COMPACTED, Entry, Published
from airflow_nrt.home.log.past.past_entry import PastEntry

ADDED, REPLACED, REMOVED, CHANGED = "+I", "+U", "-D", "±"
"""A window (or the rows of a batch) appeared, was replaced by a newer version, was removed; or single rows changed."""


@dataclass(frozen=True)
class Change:
    """One file of results that an entry (with its time, ms) made visible or removed."""

    entry: int
    time: int
    op: str
    published: Published


def changes(entries: Iterable[Entry | PastEntry]) -> Iterator[Change]:
    """All changes of results in their order. Files of archives are no results."""
    standing: dict[tuple[str, str], Published] = {}
    keys: dict[str, tuple[str, str]] = {}
    for entry in entries:
        for one in entry.published:
            if one.state in (ARCHIVED, COMPACTED):
                continue
            key = _key(one)
            known = key in standing and one.end is not None
            op = CHANGED if one.state == "changed" else REPLACED if known else ADDED
            standing[key] = one
            keys[f"{one.insert}/{one.target}"] = key
            yield Change(entry.n, entry.time, op, one)
        for target in entry.removed:
            removed = standing.get(keys.pop(target, ("", "")))
            if removed is not None and f"{removed.insert}/{removed.target}" == target:
                del standing[_key(removed)]
                yield Change(entry.n, entry.time, REMOVED, removed)


def standing_at(entries: Iterable[Entry | PastEntry], at: int | None = None) -> list[Change]:
    """What was visible at a time (ms of the wall clock; None: now), by insert and window, each with its last change."""
    visible: dict[tuple[str, str], Change] = {}
    for one in changes(entry for entry in entries if at is None or entry.time <= at):
        key = _key(one.published)
        if one.op == REMOVED:
            del visible[key]
        else:
            visible[key] = one
    return sorted(visible.values(), key=lambda one: (one.published.insert, one.published.end or 0))


def _key(one: Published) -> tuple[str, str]:
    """The key that it shares with its next version: the file, or the window where each version has its own file."""
    return one.insert, str(one.end) if one.is_delta or not one.target else one.target
