"""Rows that a stream has read, from the archive that it has written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.past.past import ENTRY, Past, PastRows
from airflow_nrt.engine.sources.archived.files import readable_files
from airflow_nrt.engine.sources.arrivals import partition_values
from airflow_nrt.engine.sources.file_rows import read_files
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.ranges import OFFSET, PART, in_ranges
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.entries import Published, SourceFile, Split, files_of, ranges_of
from airflow_nrt.home.log.history import History
from airflow_nrt.model import archive
from airflow_nrt.model.plan import Archive, Source


@dataclass(frozen=True)
class ArchivedRows(Past):
    source: Source
    history: History

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
        found = []
        for path, published in self._files.items():
            try:
                size = Path(path).stat().st_size
            except FileNotFoundError:
                # Found missing where it is read.
                size = 0
            found.append(_ArchiveFile(path, size, 0, rows=published.rows))
        return found

    def between(self, start: int, end: int) -> Sequence[Split]:
        time, root = archive.partition_time(self._archive), str(self._root)
        return [one for one in self.pieces if time.may_hold(partition_values(one.name, root), start, end)]

    def read(self, spark: SparkSession, pieces: Sequence[Split], tasks: Tasks, numbered: bool) -> PastRows:
        asked = {file.path: file for file in files_of(pieces)}
        usable, problems = readable_files((Path(path), self._files[path].rows) for path in asked)
        read = {str(path) for path in usable}
        files = [file for path, file in asked.items() if path in read]
        here, elsewhere = self._entries(read), self._entries({*self._files} - read)
        splits = self.history.splits(self.source.name)
        order = {split.name: n for n, split in enumerate(splits)} if numbered else {}
        rows = read_files(spark, self.judged_as, files, tasks).drop(FILE, NUMBER, BLOCK, INDEX)
        placed = rows.withColumnsRenamed({archive.PARTITION: PART, archive.OFFSET: OFFSET, archive.ENTRY: ENTRY})
        batch_of = self.history.batch_of(self.source.name)
        whole = tuple(split for split in splits if batch_of.get(split.name) not in elsewhere)
        frame = in_ranges(placed, ranges_of(splits), order)
        return PastRows(frame, whole, here & elsewhere, tuple(problems), lacking=len(files) < len(pieces))

    def _entries(self, paths: Iterable[str]) -> frozenset[int]:
        """The entries with rows in these files."""
        mine = self._archive.insert.name
        found = (self.history.archived.get((mine, self._files[path].target), ()) for path in paths)
        return frozenset(entry for some in found for entry in some)


@dataclass(frozen=True)
class _ArchiveFile(SourceFile):
    rows: int = 0

    @property
    def most_rows(self) -> int:
        return self.rows
