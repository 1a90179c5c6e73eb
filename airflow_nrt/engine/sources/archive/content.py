"""What the archive of another home has, by the log of that home: its batches, and the files with their rows.

Files are merged while others read them. The log says which file has the rows of a batch now.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from airflow_nrt.basics.errors import InputError, RetainedError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.sources.arrivals import partition_values
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Entry, Published
from airflow_nrt.home.log.history.archived_files import EntriesOf, note_archived
from airflow_nrt.home.log.history.provable import provable_from
from airflow_nrt.home.log.splits import ArchivedElsewhere, SourceRange
from airflow_nrt.home.next_generation import former_of
from airflow_nrt.home.notes.followers import note_follower
from airflow_nrt.home.outline import ArchiveOutline
from airflow_nrt.model.archive import time_of_partitions
from airflow_nrt.model.options.known import FOLLOWERS_EXPIRE, KEEP


class ArchiveContent:
    """The content of one archive. `refresh` follows the log of the home that writes it."""

    def __init__(self, home: Home, outline: ArchiveOutline) -> None:
        self.outline = outline
        self._home = home
        self._log = home.log()
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._ends: dict[str, int] = {}
        self._published: dict[str, Published] = {}
        self._entries: EntriesOf = {}
        self._batches: dict[int, list[SourceRange]] = {}
        self._starts: dict[str, list[int]] = defaultdict(list)
        self._of_part: dict[str, list[int]] = defaultdict(list)
        self._read = -1

    def refresh(self) -> None:
        """Reads the entries that were appended since the last call. Raises HomeError."""
        with self._lock:
            self._log.refresh()
            if self._read < self._log.first - 1:
                # What was removed unread may have replaced files, or is of ranges that would be taken for others.
                self._forget()
                self._read = self._log.first - 1
            note_follower(self._home, "a reader of its archive", 0)
            for entry in self._log.entries(self._read + 1):
                self._note(entry)
                self._read = entry.n

    def starts(self, since: int | None) -> dict[str, int]:
        """By part, the offset at which its first batch with a row in `files` begins; its end if there is none."""
        entries = {entry for file in self.files(since) for entry in self._entries_in(file)}
        found = dict(self._ends)
        for entry in sorted(entries, reverse=True):
            found |= {one.part: one.start for one in self._batches[entry]}
        return found

    def ends(self) -> dict[str, int]:
        """By part, the offset up to which it was read."""
        return dict(self._ends)

    def batches(self) -> Iterator[list[SourceRange]]:
        """The ranges of each batch, in the order in which they were read."""
        yield from self._batches.values()

    def files(self, since: int | None) -> list[Published]:
        """The files of all hours but those before a time (ms on the windows' clock)."""
        return [one for one in self._published.values() if self._is_since(one, since)]

    def files_of(self, ranges: Iterable[SourceRange], since: int | None) -> list[Published]:
        """Those of them with rows of the batches that these ranges are of."""
        entries = {entry for one in ranges for entry in self._entries_of(one)}
        with_rows = (one for one in self._published.values() if not entries.isdisjoint(self._entries_in(one)))
        return [one for one in with_rows if self._is_since(one, since)]

    def path(self, file: Published) -> Path:
        """Where a file is. What the log has decided waits in the home until it is published."""
        target, staged = self._root / file.target, self._home.directory / file.staged
        return staged if not target.exists() and staged.exists() else target

    @property
    def _root(self) -> Path:
        return Path(self.outline.directory)

    def _entries_in(self, file: Published) -> frozenset[int]:
        return self._entries.get((file.insert, file.target), frozenset())

    def check_since(self, since: int | None, where: str) -> None:
        """Raises InputError if hours from this time on (ms on the windows' clock) have rows of batches that nobody
        knows any more."""
        floor, until = self._log.floor, provable_from(self._log.beginning().state.position)
        if floor is not None and (since is None or until is None or since < until):
            raise InputError(f"{where}: in {self._home.path}, {floor}: {self._beginning_anew()}")

    def _beginning_anew(self) -> str:
        """From where on the archive can be begun with."""
        until = provable_from(self._log.beginning().state.position)
        return "it can't be begun with" if until is None else f"begin at {format_instant(until)} or later"

    def _entries_of(self, one: SourceRange) -> list[int]:
        starts, floor = self._starts[one.part], self._log.floor
        if floor is not None and not one.is_empty and (not starts or one.start < starts[0]):
            raise RetainedError(
                f"{one.name} is to be read from the archive of {self._home.path}, and there {floor}. That home has to "
                f"keep its entries longer than its readers need them ('{KEEP}', '{FOLLOWERS_EXPIRE}'). Begin anew in a "
                f"new home: {self._beginning_anew()}"
            )
        first = max(bisect_right(starts, one.start) - 1, 0)
        return self._of_part[one.part][first : bisect_left(starts, one.end)]

    def _is_since(self, file: Published, since: int | None) -> bool:
        """Whether the hour of a file ends after that time."""
        if since is None:
            return True
        values = partition_values(str(self._root / file.target), str(self._root))
        time = time_of_partitions(tuple(values))
        return time.time_of(values) + time.length > since

    def _note(self, entry: Entry) -> None:
        if isinstance(entry.body, Commit) and entry.body.source == self.outline.source:
            for one in entry.body.ranges:
                self._ends[one.part] = max(one.end, self._ends.get(one.part, 0))
                if not one.is_empty and not one.lost:
                    self._batches.setdefault(entry.n, []).append(one)
                    self._starts[one.part].append(one.start)
                    self._of_part[one.part].append(entry.n)
        note_archived(self._entries, entry)
        for published in entry.published:
            if published.insert == self.outline.name:
                self._published[published.target] = published
        for target in entry.removed:
            insert, _, place = target.partition("/")
            if insert == self.outline.name:
                self._published.pop(place, None)


def opened(archive: ArchivedElsewhere) -> ArchiveContent:
    """The content of an archive that a home has begun with. Raises InputError if the home that writes it is gone."""
    home = _with_id(Home.at(archive.home), archive.id)
    found = [one for one in archives_of(home) if one.name == archive.table] if home is not None else []
    if home is None or not found:
        raise InputError(
            f"{archive.home} is not the home any more whose archive {archive.table!r} was read first: put that back"
        )
    return content_of(home, found[0])


def _with_id(home: Home, identity: str) -> Home | None:
    """The generation of a home that has this id, among the one that counts and those before it."""
    found: Home | None = home
    while found is not None and found.identity().id != identity:
        found = former_of(found)
    return found


def archives_of(home: Home) -> tuple[ArchiveOutline, ...]:
    """The archives that the stream of a home writes."""
    outline = home.outline()
    return () if outline is None else outline.archives


def content_of(home: Home, archive: ArchiveOutline) -> ArchiveContent:
    """The content of an archive by now."""
    content = _content(home.path, home.generation, home.identity().id, archive)
    content.refresh()
    return content


@lru_cache(maxsize=8)
def _content(home: Path, generation: int, identity: str, archive: ArchiveOutline) -> ArchiveContent:
    """Kept, because each batch asks: a long log is read once."""
    return ArchiveContent(Home(home, generation=generation), archive)
