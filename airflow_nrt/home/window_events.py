"""Which windows of a table the entries of a log have completed, and which they have restated.

An entry counts once its results are visible: until then they wait below `staged/`. Entries are read in order, and none
after one that does not count yet.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published, Versions
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.visible import is_waiting
from airflow_nrt.model.result_timing import COMPLETE, LAST, LATE

RESTATED = "restated"

logger = logging.getLogger(__name__)


class EventKind(Protocol):
    """The kind of an event. `name` is stable, because it is stored."""

    name: str

    def holds(self, published: Published, entry: Entry, log: Log) -> bool:
        """Whether a result of this entry is of this kind."""


class Completed:
    """The first complete version of a window, which each window has once."""

    name = "complete"

    def holds(self, published: Published, entry: Entry, log: Log) -> bool:
        return published.state == COMPLETE or (published.state == LAST and not _was_complete(published, entry, log))


class Restated:
    """A version of a window after its complete one: late rows changed it, or a backfill or a repair published it."""

    name = "restated"

    def holds(self, published: Published, entry: Entry, log: Log) -> bool:
        return published.state in (LATE, RESTATED) or (published.state == LAST and _was_complete(published, entry, log))


KINDS: tuple[EventKind, ...] = (Completed(), Restated())


@dataclass(frozen=True)
class WindowEvents:
    """The `ends` (ms of the report's clock) of the windows of a range of log entries, in the order of publishing.

    `until` is the last entry of the range, `since` when its first window was published (ms, None for none).
    """

    until: int
    ends: tuple[int, ...]
    since: int | None


def read_window_events(
    home: Home, kind: EventKind, table: str, after: int, until: int | None = None, most: int = 1000
) -> WindowEvents:
    """The new windows of one table after the entry `after`, up to the entry `until` or about `most` windows.

    Raises HomeError if the log can't be read.
    """
    log = home.log()
    ends: dict[int, None] = {}
    # The windows of what is removed become no events any more.
    gone = log.first - 1 if until is None else min(log.first - 1, until)
    read, since = max(after, gone), None
    for entry in visible_entries(home, log, table, after, until):
        found = sorted(
            {one.end for one in _windows(entry, table) if kind.holds(one, entry, log) and one.end is not None}
        )
        if found and since is None:
            since = entry.time
        ends.update(dict.fromkeys(found))
        read = entry.n
        if len(ends) >= most:
            break
    return WindowEvents(read, tuple(ends), since)


def visible_entries(home: Home, log: Log, table: str | None, after: int, until: int | None = None) -> Iterator[Entry]:
    """The entries after `after` whose results (in this table, or in all) are visible, up to the first one whose results
    wait. What is removed is passed over."""
    if after + 1 < log.first:
        logger.warning(
            "%s: %s; windows of %s that entries %s to %s have published become no asset events: run the DAGs that wait "
            "for them by hand",
            home.path, log.floor, table or "all tables", after + 1, log.first - 1,
        )  # fmt: skip
    for entry in log.entries(max(after + 1, log.first), until):
        if is_waiting(home, entry, table):
            return
        yield entry


def has_window_events(entry: Entry, log: Log, table: str | None) -> bool:
    """Whether it published windows of this table, or of any, that give an event."""
    return any(kind.holds(one, entry, log) for one in _windows(entry, table) for kind in KINDS)


def table_of(home: Home, table: str | None) -> str:
    """The table whose windows become events: the only one of the report that has windows, or the named one.

    Raises InputError if there is none, or if several could be meant; HomeError if the home can't be read.
    """
    outline = home.outline()
    if outline is None:
        if table is None:
            raise InputError(f"an older version made the home {home.path}: name the table, or start its report once")
        return table
    tables = [insert.name for insert in outline.inserts if insert.window is not None]
    listed = ", ".join(tables) or "none"
    if table is None and len(tables) != 1:
        raise InputError(f"the report {outline.report} has windows in several tables or in none ({listed}): name one")
    if table is not None and table not in tables:
        raise InputError(f"the report {outline.report} has no windows in a table {table!r}: it has some in {listed}")
    return table or tables[0]


def _windows(entry: Entry, table: str | None) -> Iterator[Published]:
    return (one for one in entry.published if one.end is not None and table in (None, one.insert))


def _was_complete(published: Published, entry: Entry, log: Log) -> bool:
    """Whether an earlier entry had a complete version of the window."""
    assert published.end is not None
    for earlier in log.backwards(entry.n - 1):
        if any(
            (one.insert, one.end) == (published.insert, published.end) and one.state in (COMPLETE, LAST)
            for one in earlier.published
        ):
            return True
        if earlier.position is not None and not any(
            state.complete_until is not None and state.complete_until >= published.end
            for state in earlier.position.operators.values()
        ):
            return False
    return _was_complete_below(published, log)


def _was_complete_below(published: Published, log: Log) -> bool:
    """The same of entries that are removed: a window that has a version is known at the floor until its last one."""
    assert published.end is not None
    position = log.beginning().state.position
    versions = position.versions.get(published.insert, Versions())
    return published.end in versions.standing and any(
        state.complete_until is not None and state.complete_until >= published.end
        for state in position.operators.values()
    )
