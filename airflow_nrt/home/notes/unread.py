"""What came into closed directories, and is not read until they are opened again: `notes/unread.json`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.store.records import read_record, record_bytes

_MOST_DIRECTORIES = 1000
_FORMAT = Format("the note of unread files")


@dataclass(frozen=True)
class UnreadFiles:
    """How many files, and how many bytes they have together."""

    files: int
    size: int


Unread = Mapping[str, Mapping[str, UnreadFiles]]
"""By source and closed directory."""


@dataclass(frozen=True)
class NotedUnread:
    """By source and closed directory, for at most 1,000 of a source; and the numbers of all by source."""

    directories: Mapping[str, Mapping[str, UnreadFiles]]
    sources: Mapping[str, UnreadFiles]


def note_unread(home: Home, unread: Unread) -> None:
    """A home that can't be written keeps none."""
    named = {name: dict(islice(sorted(some.items()), _MOST_DIRECTORIES)) for name, some in unread.items() if some}
    found = NotedUnread(named, {name: _sum(some) for name, some in unread.items() if some})
    with suppress(OSError, HomeError):
        if found != noted_unread(home):
            home.notes.make()
            home.unread.replace(record_bytes(_FORMAT, found))


def noted_unread(home: Home) -> NotedUnread:
    """What the last driver saw; nothing if there is no note."""
    with suppress(OSError, HomeError):
        return read_record(home.unread, _FORMAT, NotedUnread)
    return NotedUnread({}, {})


def _sum(some: Mapping[str, UnreadFiles]) -> UnreadFiles:
    return UnreadFiles(sum(one.files for one in some.values()), sum(one.size for one in some.values()))
