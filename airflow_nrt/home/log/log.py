"""The log of a home: the only truth about it. One numbered sequence that any process may read and append to.

An entry is created if absent at the number after the last one that the writer has read. So a writer whose view is old
collides, reads what it missed, and goes on or stops. No number is skipped. Old entries move into chapters
(`chapters.py`); a file that is created for an entry in a chapter is removed again.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.decoding import parse_json
from airflow_nrt.home.log.chapters import CHAPTER, bind_chapters, chapter_of, last_entry, read_chapter
from airflow_nrt.home.log.entries import Body, Commit, Entry, Position, Tick, entry_from_json, entry_kind
from airflow_nrt.home.store.store_path import StorePath


class EntryTaken(Exception):
    """Another writer's entry has this number."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(f"entry {entry.n} is taken by a {entry.kind}")
        self.entry = entry


_PAUSES = (0.1, 0.5, 2.0)
"""Seconds before an entry is put again, if the store did not say what has become of it."""


class Log:
    """Reads and appends entries. `last` is the number of the last entry that this object knows, -1 for none."""

    def __init__(self, directory: StorePath) -> None:
        self.directory = directory
        self.last = -1
        self._chapter: tuple[int, list[bytes]] | None = None
        self.refresh()

    def refresh(self) -> int:
        """Looks for entries written since; gives the number of the last entry. Raises HomeError."""
        try:
            if self.last < 0:
                self.last = last_entry(self.directory)
            while self._path(self.last + 1).exists() or chapter_of(self.directory, self.last + 1).exists():
                self.last += 1
        except OSError as wrong:
            raise HomeError(f"the log {self.directory} can't be read: {wrong}") from None
        return self.last

    def read(self, n: int) -> Entry:
        """Raises HomeError if the entry is missing or unreadable: it is never taken for something else."""
        try:
            data = parse_json(self.content(n))
        except ValueError as wrong:
            raise HomeError(f"log entry {self._path(n)} is not readable: {wrong}") from None
        entry = entry_from_json(data)
        if entry.n != n:
            raise HomeError(f"log entry {self._path(n)} is not readable: it calls itself {entry.n}")
        return entry

    def content(self, n: int) -> bytes:
        """An entry as it was written. Raises HomeError if it is missing or unreadable."""
        try:
            content = self._content(n)
        except OSError as wrong:
            raise HomeError(f"log entry {self._path(n)} is not readable: {wrong}") from None
        if content is None:
            raise HomeError(f"log entry {n} of {self.directory.parent} is missing")
        return content

    def audit(self) -> Iterator[Entry]:
        """All entries in order: for questions about the past, because a log may be long. What is needed to go on, the
        fold says (`fold/`)."""
        return self.entries(0)

    def entries(self, first: int, last: int | None = None) -> Iterator[Entry]:
        """The entries from `first` to `last` (default: the last known), in order."""
        for n in range(first, (self.last if last is None else last) + 1):
            yield self.read(n)

    def backwards(self, last: int | None = None) -> Iterator[Entry]:
        """The entries from the last to the first."""
        for n in range(self.last if last is None else last, -1, -1):
            yield self.read(n)

    def append(self, body: Body, epoch: int | None) -> Entry:
        """Appends the next entry. Raises EntryTaken with the entry that has its number; `last` then counts it.

        Raises OSError if the store does not say whether the entry stands: it may stand, now or later.
        """
        entry = Entry(self.last + 1, entry_kind(body), epoch, int(time.time() * 1000), uuid.uuid4().hex, body)
        content = json.dumps(entry.to_json(), separators=(",", ":"), ensure_ascii=False).encode()
        is_ours = _put(self._path(entry.n), content + b"\n")
        if is_ours and chapter_of(self.directory, entry.n).exists():
            # This writer slept so long that the entry it collides with is in a chapter by now.
            self._path(entry.n).delete()
            is_ours = False
        if not is_ours:
            standing = self.read(entry.n)
            self.last = standing.n
            if standing.id == entry.id:
                return standing
            raise EntryTaken(standing)
        self.last = entry.n
        return entry

    def position(self, last: int | None = None) -> Position:
        """The position after an entry (default: the last known). Entries without one leave it as it was."""
        for entry in self.backwards(last):
            if entry.position is not None:
                return entry.position
        return Position()

    def last_clock(self) -> int | None:
        """The processing time (ms) of the last entry that has one."""
        bodies = (entry.body for entry in self.backwards())
        return next((body.clock for body in bodies if isinstance(body, (Commit, Tick))), None)

    def epoch(self) -> int:
        """The epoch of the newest lease, 0 if there was none. A driver's entries follow its lease."""
        return next((entry.epoch for entry in self.backwards() if entry.epoch is not None), 0)

    def bind(self) -> None:
        """Moves old entries into chapters."""
        bind_chapters(self.directory, self.last)

    def _content(self, n: int) -> bytes | None:
        known, first = self._chapter, n - n % CHAPTER
        if known is not None and known[0] == first:
            return known[1][n - first]
        try:
            single = self._path(n).read()
        except FileNotFoundError:
            single = None
        # Looked for after the file: its content counts only if no chapter has the entry.
        lines = read_chapter(chapter_of(self.directory, n))
        if lines is None:
            return single
        self._chapter = first, lines
        return lines[n - first]

    def _path(self, n: int) -> StorePath:
        return self.directory / f"{n}.json"


def _put(path: StorePath, content: bytes) -> bool:
    """False if another content stands there, or this one since an attempt before: an attempt without an answer may have
    its effect at any time, and whoever repeats it with the same content does no harm."""
    for pause in _PAUSES:
        try:
            return path.put_if_absent(content)
        except (TimeoutError, ConnectionError):
            time.sleep(pause)
    return path.put_if_absent(content)
