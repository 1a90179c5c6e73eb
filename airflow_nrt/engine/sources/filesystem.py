"""Tables of files, as a source: a split is a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from airflow_nrt.home.log.changed_files import LastRead, change_of
from airflow_nrt.home.log.entries import SourceFile, Split, files_of
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import Table


class Files(SplitEnumerator):
    """The files of one table."""

    def __init__(self, table: Table, read: Iterable[SourceFile]) -> None:
        files = list(read)
        self._arrivals = Arrivals.of(table, (file.path for file in files))
        self._last_read = LastRead(files)

    def poll(self) -> list[Split]:
        return list[Split](self._arrivals.poll())

    def in_order(self, batch: list[Split]) -> list[Split]:
        """The oldest first."""
        files = list(files_of(batch))
        files.sort(key=lambda file: (file.modified, file.path))
        return list[Split](files)

    @property
    def unreadable(self) -> int:
        return len(self._arrivals.unreadable)

    def absorbed(self, splits: Iterable[Split]) -> None:
        self._last_read.add(files_of(splits))

    def changes(self) -> list[str]:
        return self._last_read.news()


class Filesystem(Source):
    skips = True

    def guard(self, spark: SparkSession, table: Table) -> None:
        guard_directory(spark, table)

    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> Files:
        return Files(table, files_of(read))

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
