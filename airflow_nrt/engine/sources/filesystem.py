"""Tables of files, as a source: a split is a file."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.arrivals import Arrivals, partition_values
from airflow_nrt.engine.sources.file_rows import read_files
from airflow_nrt.engine.sources.line_places import is_skipped_line, line_at
from airflow_nrt.engine.sources.linked_files import check_links, guard_directory
from airflow_nrt.engine.sources.links import Links
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source, SplitEnumerator
from airflow_nrt.engine.spark.footers import times_in
from airflow_nrt.engine.spark.paths import file_keys, file_uri
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.home.log.fold.inputs import SourceInputs
from airflow_nrt.home.log.fold.looks import Looks
from airflow_nrt.home.log.history.changed_files import LastRead, change_of
from airflow_nrt.home.log.home_state import LAST_FILES
from airflow_nrt.home.log.splits import SourceFile, Split, files_of
from airflow_nrt.home.notes.unread import UnreadFiles
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import Table


class Files(SplitEnumerator):
    """The files of one table."""

    def __init__(self, table: Table, read: SourceInputs) -> None:
        self._arrivals = Arrivals.of(table, read)
        self._last_read = LastRead(read.files.last(LAST_FILES))
        self._under_way = Counter[str]()
        # Batches are absorbed in another thread.
        self._lock = threading.Lock()

    def poll(self) -> list[Split]:
        found = self._arrivals.poll()
        with self._lock:
            self._under_way.update(os.path.dirname(file.path) for file in found)
        return list[Split](found)

    def in_order(self, batch: list[Split]) -> list[Split]:
        """The oldest first."""
        files = list(files_of(batch))
        files.sort(key=lambda file: (file.modified, file.path))
        return list[Split](files)

    @property
    def unreadable(self) -> int:
        return len(self._arrivals.unreadable)

    def absorbed(self, splits: Iterable[Split]) -> None:
        files = files_of(splits)
        self._last_read.add(files)
        self._arrivals.closing.absorbed(files, time.time_ns())
        with self._lock:
            self._under_way -= Counter(os.path.dirname(file.path) for file in files)

    def resume(self, looks: Looks) -> None:
        self._arrivals.resume(looks)

    def looks(self) -> Looks:
        return {name: look for name, look in self._arrivals.looks().items() if not self._under_way[name]}

    def closable(self) -> list[str]:
        return [name for name in self._arrivals.closable() if not self._under_way[name]]

    def closed(self, directories: Iterable[str]) -> None:
        self._arrivals.closing.closed.update(directories)

    @property
    def unread(self) -> Mapping[str, UnreadFiles]:
        return self._arrivals.closing.unread

    def changes(self) -> list[str]:
        return self._last_read.news()


class Filesystem(Source):
    skips = True

    def guard(self, spark: SparkSession, table: Table) -> None:
        guard_directory(spark, table)

    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> Files:
        return Files(table, SourceInputs.of(read))

    def standing(self, spark: SparkSession, table: Table, read: Sequence[SourceFile]) -> list[SourceFile]:
        known = {one.path for one in read}
        return [one for one in Arrivals.all_of(table) if one.path not in known]

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        check_links(spark, source.table, request.files)
        return read_files(spark, source, request)

    def row_at(self, spark: SparkSession, source: PlannedSource, place: str) -> SkippedRow:
        files = {file.path: file for file in files_of(self.enumerator(spark, source.table).poll())}
        row = line_at(source.table, files.values(), place)
        self.guard(spark, source.table)
        found = self.read(spark, source, ReadRequest([files[row.part]], ONE)).where(self.is_skipped([row]))
        if found.isEmpty():
            raise InputError(f"table {source.name!r}: no row of {row.part} begins in line {row.number}")
        return row

    def is_skipped(self, rows: Sequence[SkippedRow]) -> str:
        return is_skipped_line(rows)

    def readable(self, spark: SparkSession, table: Table, splits: Iterable[Split]) -> tuple[list[Split], list[str]]:
        splits = list(splits)
        refusals = Links.of(table).refusals(split.name for split in splits)
        usable, problems = super().readable(spark, table, (one for one in splits if one.name not in refusals))
        left_out = (
            f"the source file {path} is not read again: a link has come into its path, and {reason}"
            for path, reason in refusals.items()
        )
        return usable, [*problems, *left_out]

    def spellings(self, split: Split) -> tuple[str, ...]:
        return file_keys(split.name)

    def in_ledger(self, split: Split) -> str:
        return file_uri(split.name)

    def change_of(self, split: Split) -> str | None:
        (file,) = files_of([split])
        return change_of(file)

    def partition(self, table: Table, split: Split) -> dict[str, str]:
        return partition_values(split.name, table.path)

    def times(self, table: Table, split: Split) -> tuple[int, int] | None:
        mark = table.watermark
        if mark is None or table.format != "parquet" or mark.column not in {one.name for one in table.physical}:
            return None
        try:
            return times_in(Path(split.name), (mark.column, *mark.path))
        except (OSError, ValueError):
            # What is wrong with it is said when it is read.
            return None
