"""What outlives a driver: the log, files of state, staged results, sinks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from airflow_nrt.home.log.entries import Body, Entry, Published, entry_kind
from airflow_nrt.home.log.log import EntryTaken, Log
from airflow_nrt.home.store.memory import MemoryStore
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.plan import Plan
from airflow_nrt.testing.memory.meaning import Meaning
from airflow_nrt.testing.memory.rows import Columns, Row

Emitted = tuple[str, Columns]
"""A change of a row: `+` or `-`, and the row."""


class MemoryLog(Log):
    """One view of the log; `entries_of` are shared by all views of a home."""

    def __init__(self, entries_of: list[Entry]) -> None:
        self._entries = entries_of
        self._ids = itertools.count()
        super().__init__(StorePath(MemoryStore(), "log"))

    def refresh(self) -> int:
        self.last = len(self._entries) - 1
        return self.last

    def read(self, n: int) -> Entry:
        return self._entries[n]

    def append(self, body: Body, epoch: int | None) -> Entry:
        entry = Entry(self.last + 1, entry_kind(body), epoch, 0, f"{id(self)}-{next(self._ids)}", body)
        if len(self._entries) > entry.n:
            self.last = entry.n
            raise EntryTaken(self._entries[entry.n])
        self._entries.append(entry)
        self.last = entry.n
        return entry

    def bind(self) -> None:
        """Nothing is gathered: entries are in memory."""


@dataclass
class MemoryHome:
    """The home of a plan. `rows` of splits, `state` and `staged` are by path; sinks are by insert. `dimensions` are by
    table all of its versions, the last of which is valid."""

    plan: Plan
    meaning: Meaning = field(default_factory=Meaning)
    entries: list[Entry] = field(default_factory=list)
    rows: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    staged: dict[str, Any] = field(default_factory=dict)
    windows: dict[str, dict[str, tuple[Columns, ...]]] = field(default_factory=dict)
    changes: dict[str, dict[str, tuple[Emitted, ...]]] = field(default_factory=dict)
    dimensions: dict[str, list[Sequence[Row]]] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def log(self) -> MemoryLog:
        return MemoryLog(self.entries)

    def put(self, place: dict[str, Any], content: Any, name: str) -> str:
        """Stores under a new path; gives the path."""
        path = f"{name}-{next(self._numbers)}"
        place[path] = content
        return path

    def show(self, published: Published) -> None:
        """Publishes one staged file. Raises KeyError if it is neither staged nor visible."""
        shown: dict[str, Any] = self.changes if published.end is None else self.windows
        there = shown.setdefault(published.insert, {})
        if published.staged in self.staged:
            there[published.target] = self.staged.pop(published.staged)
        elif published.target not in there:
            raise KeyError(published.staged)

    def remove(self, insert: str, target: str, entry: int) -> None:
        """Removes what an entry has removed, unless a later one has published it again."""
        later = (one for each in self.entries[entry + 1 :] for one in each.published)
        if not any((one.insert, one.target) == (insert, target) for one in later):
            self.windows.get(insert, {}).pop(target, None)

    def remove_orphans(self) -> None:
        """Removes staged results on which no entry has decided."""
        decided = {one.staged for entry in self.entries for one in entry.published}
        self.staged = {path: content for path, content in self.staged.items() if path in decided}

    def table(self, insert: str) -> Mapping[int, frozenset[Columns]]:
        """What a reader of a sink sees, by window end (ms)."""
        return {int(target): frozenset(rows) for target, rows in self.windows.get(insert, {}).items()}

    def folded(self, insert: str) -> list[Columns]:
        """What a reader of a changelog sees. Raises AssertionError where a change does not apply."""
        rows: list[Columns] = []
        for changes in self.changes.get(insert, {}).values():
            for sign, row in changes:
                if sign == "-":
                    assert row in rows, f"{row} is retracted and is not there"
                    rows.remove(row)
                else:
                    rows.append(row)
        return sorted(rows, key=repr)
