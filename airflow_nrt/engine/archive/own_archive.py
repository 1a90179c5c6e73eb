"""Rows that a stream has read, from the archive that it has written.

A driver goes on writing: it merges the files of an hour, and removes them. Then the merged file is read in their place.
It has their rows, also those that came later, which are of no range that the log lists.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.archive.needed_pieces import Needed
from airflow_nrt.engine.archive.source_archive import ENTRY, ArchivedRows, SourceArchive
from airflow_nrt.engine.sources.archive.readable_files import readable_files
from airflow_nrt.engine.sources.arrivals import partition_values
from airflow_nrt.engine.sources.file_rows import read_files
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.ranges import OFFSET, PART, in_ranges
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import COMPACTED, Published
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.splits import SourceFile, Split, ranges_of
from airflow_nrt.home.visible import waiting
from airflow_nrt.model import archive
from airflow_nrt.model.plan import Archive, Source

_PATIENCE = 5.0
"""Seconds for a driver to publish what the log has decided."""


@dataclass(frozen=True)
class OwnArchive(SourceArchive):
    source: Source
    history: History
    home: Home
    files_move = True

    @property
    def judged_as(self) -> Source:
        return archive.as_archived(self.source)

    @property
    def _archive(self) -> Archive:
        assert self.source.archive is not None
        return self.source.archive

    @cached_property
    def _root(self) -> Path:
        return Path(self._archive.insert.sink.path.removeprefix("file://"))

    @cached_property
    def _files(self) -> dict[str, Published]:
        """The files of the archive by their paths."""
        mine = self._archive.insert.name
        return {str(self._root / target): one for (name, target), one in self.history.published.items() if name == mine}

    @property
    def pieces(self) -> Sequence[Split]:
        return [_archive_file(path, one, frozenset([path])) for path, one in self._files.items()]

    def between(self, spark: SparkSession, start: int, end: int) -> Needed:
        """By the names of partitions alone: the stream has named them by the rowtimes of their rows."""
        time, root, pieces = archive.partition_time(self._archive), str(self._root), self.pieces
        found = [one for one in pieces if time.may_hold(partition_values(one.name, root), start, end)]
        return Needed(found, len(pieces) - len(found))

    def read(self, spark: SparkSession, pieces: Sequence[Split], tasks: Tasks, numbered: bool) -> ArchivedRows:
        asked = [one for one in pieces if isinstance(one, _ArchiveFile)]
        chosen = self._merged(asked)
        files, problems = self._readable(chosen)
        if problems and self._merged(asked) != chosen:
            return self.read(spark, pieces, tasks, numbered)
        read = frozenset[str]().union(*(file.covers for file in files))
        here, elsewhere = self._entries(read), self._entries({*self._files} - read)
        splits = self.history.splits(self.source.name)
        order = {split.name: n for n, split in enumerate(splits)} if numbered else {}
        rows = read_files(spark, self.judged_as, ReadRequest(files, tasks)).drop(FILE, NUMBER, BLOCK, INDEX)
        placed = rows.withColumnsRenamed({archive.PARTITION: PART, archive.OFFSET: OFFSET, archive.ENTRY: ENTRY})
        batch_of = self.history.batch_of(self.source.name)
        whole = tuple(split for split in splits if batch_of.get(split.name) not in elsewhere)
        frame = in_ranges(placed, ranges_of(splits), order)
        return ArchivedRows(frame, whole, here & elsewhere, tuple(problems), lacking=bool(problems))

    def _merged(self, files: Sequence[_ArchiveFile]) -> list[_ArchiveFile]:
        """The files, or those that entries after the history have put in their place, where some are gone."""
        there = {file.path: file for file in files}
        mine = self._archive.insert.name
        for entry in self.home.log().entries(self.history.entry + 1):
            merged = [one for one in entry.published if one.insert == mine and one.state == COMPACTED]
            places = (place.partition("/") for place in entry.removed) if merged else ()
            replaced = [str(self._root / target) for insert, _, target in places if insert == mine]
            known = [there[path] for path in replaced if path in there]
            # The new files are there before the first old one goes.
            if all(Path(file.path).exists() for file in known):
                continue
            covers = frozenset[str]().union(*(there.pop(file.path).covers for file in known))
            for one in merged:
                path = str(self._root / one.target)
                there[path] = _archive_file(path, one, covers)
        return list(there.values())

    def _unpublished(self, files: Sequence[_ArchiveFile]) -> bool:
        """Whether one is not there because its driver is still publishing it."""
        missing = [file.path for file in files if not Path(file.path).exists()]
        return bool(waiting(self.home, [self._files[path] for path in missing if path in self._files]))

    def _readable(self, files: Sequence[_ArchiveFile]) -> tuple[list[_ArchiveFile], list[str]]:
        until = time.monotonic() + _PATIENCE
        while self._unpublished(files) and time.monotonic() < until:
            time.sleep(0.1)
        usable, problems = readable_files((Path(file.path), file.rows) for file in files)
        paths = {str(path) for path in usable}
        return [file for file in files if file.path in paths], problems

    def _entries(self, paths: Iterable[str]) -> frozenset[int]:
        """The entries with rows in these files."""
        mine = self._archive.insert.name
        found = (self.history.archived.get((mine, self._files[path].target), ()) for path in paths)
        return frozenset(entry for some in found for entry in some)


@dataclass(frozen=True)
class _ArchiveFile(SourceFile):
    """`covers` are the files that the log lists whose rows it has."""

    rows: int = 0
    covers: frozenset[str] = frozenset()

    @property
    def most_rows(self) -> int:
        return self.rows


def _archive_file(path: str, published: Published, covers: frozenset[str]) -> _ArchiveFile:
    try:
        size = Path(path).stat().st_size
    except FileNotFoundError:
        # Found missing where it is read.
        size = 0
    return _ArchiveFile(path, size, 0, rows=published.rows, covers=covers)
