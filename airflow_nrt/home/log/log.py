"""The log of a home: the only truth about it. One numbered sequence that any process may read and append to.

An entry is created if absent at the number after the last one that the writer has read. So a writer whose view is old
collides, reads what it missed, and goes on or stops. No number is skipped. Old entries move into chapters
(`chapters.py`) and volumes (`volumes.py`), and the oldest may be removed (`floor.py`); a file that is created for an
entry that is not in a file of its own any more is removed again.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator

from airflow_nrt.basics.errors import FencedError, HomeError, RetainedError
from airflow_nrt.files.decoding import parse_json
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.home.log.chapters import bind_chapters, chapter_of, last_entry, read_chapter
from airflow_nrt.home.log.checkpoint import Beginning
from airflow_nrt.home.log.entries import Body, Commit, Entry, Left, Position, Tick, entry_from_json, entry_kind
from airflow_nrt.home.log.floor import Floor, read_beginning, read_floor
from airflow_nrt.home.log.volumes import bind_volume, read_volume, volume_of
from airflow_nrt.home.store.store import Seen
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
        # The last entry of its own that others may follow.
        self._appended = -1
        self._bound: tuple[int, list[bytes]] | None = None
        self._floor: Floor | None = None
        self._floor_seen: Seen | None = None
        self._beginning: tuple[Floor | None, Beginning] = (None, Beginning())
        self.refresh()

    @property
    def first(self) -> int:
        """The number of the first entry that stands, as far as this object knows."""
        return 0 if self._floor is None else self._floor.first

    @property
    def floor(self) -> Floor | None:
        """The floor, None while all entries stand."""
        return self._floor

    def refresh(self) -> int:
        """Looks for entries written since; gives the number of the last entry. Raises HomeError."""
        try:
            if self.last < 0:
                self.last = last_entry(self.directory)
            while (last := self._end_of_file(self.last + 1)) is not None:
                self.last = last
            # Looked for after the entries: where the next one is below, it was there, and is removed.
            while self._look_for_floor(self.last + 1):
                self.last = self.first - 1
                while (last := self._end_of_file(self.last + 1)) is not None:
                    self.last = last
        except OSError as wrong:
            raise HomeError(f"the log {self.directory} can't be read: {wrong}") from None
        return self.last

    def read(self, n: int) -> Entry:
        """Raises HomeError if the entry is missing or unreadable: it is never taken for something else; RetainedError
        if it is removed."""
        try:
            data = parse_json(self.content(n))
        except ValueError as wrong:
            raise HomeError(f"log entry {self._path(n)} is not readable: {wrong}") from None
        entry = entry_from_json(data)
        if entry.n != n:
            raise HomeError(f"log entry {self._path(n)} is not readable: it calls itself {entry.n}")
        return entry

    def content(self, n: int) -> bytes:
        """An entry as it was written. Raises as `read`."""
        try:
            content = self._content(n)
        except OSError as wrong:
            raise HomeError(f"log entry {self._path(n)} is not readable: {wrong}") from None
        if content is None:
            raise HomeError(f"log entry {n} of {self.directory.parent} is missing")
        return content

    def beginning(self) -> Beginning:
        """What is left of the entries below the first one. Raises HomeError if it can't be read, or is of another
        log."""
        floor = self._floor
        if floor is not None and self._beginning[0] != floor:
            try:
                found = read_beginning(self.directory, floor)
            except HomeError:
                if read_floor(self.directory) == floor:
                    raise
                raise floor.gone(self.directory, floor.first) from None
            if self.read(floor.first).id != floor.following:
                raise HomeError(
                    f"the floor of {self.directory}, {self.directory / 'floor.json'}, is of another log: put the home "
                    "back from one copy"
                )
            self._beginning = floor, found
        return self._beginning[1] if floor is not None else Beginning()

    def audit(self) -> Iterator[Entry]:
        """All entries in order, from the first one that stands: for questions about the past, because a log may be
        long. What is needed to go on, the fold says (`fold/`)."""
        return self.entries(self.first)

    def entries(self, first: int, last: int | None = None) -> Iterator[Entry]:
        """The entries from `first` to `last` (default: the last known), in order."""
        for n in range(first, (self.last if last is None else last) + 1):
            yield self.read(n)

    def backwards(self, last: int | None = None) -> Iterator[Entry]:
        """The entries from the last to the first one that stands."""
        for n in range(self.last if last is None else last, self.first - 1, -1):
            yield self.read(n)

    def append(self, body: Body, epoch: int | None) -> Entry:
        """Appends the next entry.

        Raises EntryTaken with the entry that has its number; `last` then counts it. Raises RetainedError if that entry
        is removed by now, and OSError if the store does not say whether the entry stands: it may stand, now or later.
        Raises FencedError if the log was left.
        """
        self._check_stands()
        entry = Entry(self.last + 1, entry_kind(body), epoch, int(time.time() * 1000), secrets.token_hex(8), body)
        content = json.dumps(entry.to_json(), separators=(",", ":"), ensure_ascii=False).encode()
        is_ours = _put(self._path(entry.n), content + b"\n")
        if is_ours and self.has_moved(entry.n):
            # This writer slept so long that the entry it collides with is in another file by now, or in none.
            self._path(entry.n).delete()
            is_ours = False
        if not is_ours:
            standing = self.read(entry.n)
            self.last = standing.n
            if standing.id == entry.id:
                return standing
            raise EntryTaken(standing)
        self.last = entry.n
        self._appended = -1 if isinstance(body, Left) else entry.n
        return entry

    def _check_stands(self) -> None:
        if self.last == self._appended or self.last < self.first:
            return
        try:
            body = self.read(self.last).body
        except RetainedError:
            # Entries have followed it.
            return
        if isinstance(body, Left):
            raise FencedError(
                f"the report of {self.directory.parent} has changed: its generation {body.successor} counts since log "
                f"entry {self.last}, and this one ends there"
            )

    def position(self, last: int | None = None) -> Position:
        """The position after an entry (default: the last known). Entries without one leave it as it was."""
        for entry in self.backwards(last):
            if entry.position is not None:
                return entry.position
        return self._at_floor(last).state.position

    def last_clock(self) -> int | None:
        """The processing time (ms) of the last entry that has one."""
        bodies = (entry.body for entry in self.backwards())
        found = next((body.clock for body in bodies if isinstance(body, (Commit, Tick))), None)
        return self.beginning().state.clock if found is None else found

    def epoch(self) -> int:
        """The epoch of the newest lease, 0 if there was none. A driver's entries follow its lease."""
        found = next((entry.epoch for entry in self.backwards() if entry.epoch is not None), None)
        return self.beginning().state.epoch if found is None else found

    def bind(self) -> None:
        """Moves old entries into chapters."""
        bind_chapters(self.directory, self.last, self.has_moved)

    def bind_volume(self) -> bool:
        """Moves the oldest chapters into a volume, if there are enough. Gives whether there were."""
        return bind_volume(self.directory, self.last)

    def has_moved(self, n: int) -> bool:
        """Whether the place of this entry is not a file of its own any more. Asked after that file was looked for: an
        entry is always in the next place before it leaves one."""
        return (
            chapter_of(self.directory, n).exists() or volume_of(self.directory, n).exists() or self._look_for_floor(n)
        )

    def _at_floor(self, last: int | None) -> Beginning:
        if last is not None and last < self.first - 1 and self._floor is not None:
            raise self._floor.gone(self.directory, last)
        return self.beginning()

    def _look_for_floor(self, n: int) -> bool:
        """Whether an entry is below the floor by now."""
        if n >= self.first and (seen := (self.directory / "floor.json").seen()) != self._floor_seen:
            # Looked at before it is read: whoever raises it in between is seen the next time.
            self._floor, self._floor_seen = read_floor(self.directory), seen
        return n < self.first

    def _end_of_file(self, n: int) -> int | None:
        """The last entry in the file that holds this one, None if there is none."""
        if self._path(n).exists():
            return n
        for place_of in (chapter_of, volume_of):
            path = place_of(self.directory, n)
            if path.exists():
                return _numbers(path)[1]
        return None

    def _content(self, n: int) -> bytes | None:
        known = self._bound
        if known is not None and 0 <= n - known[0] < len(known[1]):
            return known[1][n - known[0]]
        try:
            single = self._path(n).read()
        except FileNotFoundError:
            single = None
        # Looked for after the file: its content counts only if nothing has the entry by which it was replaced.
        for place_of, read in ((chapter_of, read_chapter), (volume_of, read_volume)):
            path = place_of(self.directory, n)
            lines = read(path)
            if lines is not None:
                self._bound = _numbers(path)[0], lines
                return lines[n - self._bound[0]]
        if self._look_for_floor(n):
            assert self._floor is not None
            raise self._floor.gone(self.directory, n)
        return single

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


def _numbers(path: StorePath) -> tuple[int, int]:
    """The first and the last entry of a chapter or a volume."""
    first, _, last = path.name.partition(".")[0].partition("-")
    numbers = number_of(first), number_of(last)
    assert numbers[0] is not None and numbers[1] is not None
    return numbers[0], numbers[1]
