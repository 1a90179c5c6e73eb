"""Rows of an archive that others fill: all rows of its partitions, which say nothing of when they arrived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.archive.needed_pieces import Needed, needed_pieces
from airflow_nrt.engine.archive.source_archive import BACKFILL, ENTRY, ArchivedRows, SourceArchive
from airflow_nrt.engine.sources import arrived
from airflow_nrt.engine.sources.file_rows import read_files
from airflow_nrt.engine.sources.linked_files import check_links
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.splits import Split, files_of
from airflow_nrt.model import archive
from airflow_nrt.model.plan import Archive, Source


@dataclass(frozen=True)
class ForeignArchive(SourceArchive):
    source: Source

    knows_arrival: ClassVar[bool] = False

    @property
    def judged_as(self) -> Source:
        return archive.as_filled_by_others(self.source)

    @property
    def _archive(self) -> Archive:
        assert self.source.archive is not None
        return self.source.archive

    @cached_property
    def _files(self) -> tuple[Split, ...]:
        return tuple(arrived(None, self._archive.insert.sink))

    @property
    def pieces(self) -> Sequence[Split]:
        """The files that are there at the first call."""
        return self._files

    def between(self, spark: SparkSession, start: int, end: int) -> Needed:
        return needed_pieces(spark, self.judged_as, archive.partition_time(self._archive), self.pieces, start, end)

    def read(self, spark: SparkSession, pieces: Sequence[Split], tasks: Tasks, numbered: bool) -> ArchivedRows:
        check_links(spark, self._archive.insert.sink, files_of(pieces))
        numbers = {file.name: n for n, file in enumerate(pieces)} if numbered else None
        rows = read_files(spark, self.judged_as, ReadRequest(pieces, tasks, numbers))
        return ArchivedRows(rows.withColumn(ENTRY, F.lit(BACKFILL).cast("bigint")), ())
