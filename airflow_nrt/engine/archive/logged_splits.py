"""Splits that the log lists, read again from the source itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from airflow_nrt.engine.archive.source_archive import BACKFILL, ENTRY, ArchivedRows, SourceArchive
from airflow_nrt.engine.failures.failures import CorruptFileError, explained
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.place import FILE, known_files
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.engine.spark.tuning import ONE, Tasks
from airflow_nrt.home.log.entries import Split
from airflow_nrt.home.log.history import History
from airflow_nrt.model.partition_time import partition_time
from airflow_nrt.model.plan import Source


@dataclass(frozen=True)
class LoggedSplits(SourceArchive):
    source: Source
    history: History

    @property
    def judged_as(self) -> Source:
        return self.source

    @property
    def pieces(self) -> Sequence[Split]:
        return self.history.splits(self.source.name)

    def between(self, start: int, end: int) -> Sequence[Split]:
        table = self.source.table
        time = partition_time(table, self.source.zone)
        if time is None:
            return self.pieces
        connector = source_of(table)
        return [split for split in self.pieces if time.may_hold(connector.partition(table, split), start, end)]

    def read(self, spark: SparkSession, pieces: Sequence[Split], tasks: Tasks, numbered: bool) -> ArchivedRows:
        source, history = self.source, self.history
        connector = source_of(source.table)
        whole = [split for split in pieces if not split.corrupt]
        usable, problems = connector.readable(spark, source.table, whole)
        problems += _check_corrupt(spark, source, [split for split in pieces if split.corrupt])
        order = {split.name: n for n, split in enumerate(history.splits(source.name))} if numbered else {}
        numbers = {split.name: order[split.name] for split in usable} if numbered else None
        rows = connector.read(spark, source, ReadRequest(usable, tasks, numbers))
        batch_of = history.batch_of(source.name)
        known = [(key, batch_of.get(split.name, BACKFILL)) for split in usable for key in connector.spellings(split)]
        entries = given_rows(spark, {FILE: "STRING", ENTRY: "BIGINT"}, known)
        return ArchivedRows(
            known_files(rows, entries, ENTRY),
            tuple(usable),
            problems=tuple(problems),
            lacking=len(usable) < len(whole),
        )


def _check_corrupt(spark: SparkSession, source: Source, splits: Sequence[Split]) -> list[str]:
    """The unchanged files that were left out as unreadable, and can be read."""
    connector = source_of(source.table)
    problems = []
    for split in splits:
        try:
            if connector.change_of(split) is None:
                connector.read(spark, source, ReadRequest([split], ONE)).write.format("noop").mode("overwrite").save()
                problems.append(f"the source file {split.name} was left out as unreadable, and can be read")
        except Exception as failure:
            if not isinstance(failure, OSError) and not isinstance(explained(failure), CorruptFileError):
                raise
    return problems
