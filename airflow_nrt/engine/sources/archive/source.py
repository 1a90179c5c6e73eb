"""A source that is composed: a topic, whose first records may be read from an archive of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.archive.beginning import beginnings, check_goes_on
from airflow_nrt.engine.sources.archive.content import opened
from airflow_nrt.engine.sources.archive.enumerator import ArchiveThenTopic
from airflow_nrt.engine.sources.archive.records import archive_of, files_of, read_archived
from airflow_nrt.engine.sources.kafka.kafka import Kafka, by_name
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source, SplitEnumerator
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.model.connectors.kafka_options import ARCHIVED, STARTUP, kafka_option
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import Table


class ArchivedTopic(Source):
    """A topic. Ranges of the log say which of its records came from an archive."""

    part = Kafka.part
    place = Kafka.place
    needs_session = True
    may_lose_records = True
    skips = True
    correction = "A record of a topic can't be corrected:"

    def __init__(self, topic: Kafka) -> None:
        self._topic = topic

    def check(self, spark: SparkSession, table: Table) -> None:
        self._topic.check(spark, table)
        if kafka_option(table, STARTUP) == ARCHIVED:
            check_goes_on(spark, table, beginnings(table))

    def load_client(self, spark: SparkSession, table: Table) -> None:
        self._topic.load_client(spark, table)

    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> SplitEnumerator:
        assert spark is not None
        ranges = ranges_of(read)
        begins = kafka_option(table, STARTUP) == ARCHIVED and not ranges
        if begins or _archived(ranges):
            return ArchiveThenTopic(spark, table, ranges)
        return self._topic.enumerator(spark, table, ranges)

    def row_at(self, spark: SparkSession, source: PlannedSource, place: str) -> SkippedRow:
        return self._topic.row_at(spark, source, place)

    def is_skipped(self, rows: Sequence[SkippedRow]) -> str:
        return self._topic.is_skipped(rows)

    def parts(self, splits: Iterable[Split]) -> dict[str, str]:
        ranges = ranges_of(splits)
        return by_name(one.part for one in ranges) if _archived(ranges) else self._topic.parts(ranges)

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        archived = [one for one in _archived(request.ranges) if not one.is_empty]
        others = request.of([one for one in request.ranges if one.archive is None])
        if not archived:
            return self._topic.read(spark, source, others)
        rows = read_archived(spark, source, archived, request.tasks, request.numbers or {})
        if all(one.is_empty for one in others.splits):
            return rows
        of_topic = self._topic.read(spark, source, others)
        return rows.unionByName(of_topic.select(*rows.columns))

    def spellings(self, split: Split) -> tuple[str, ...]:
        return self._topic.spellings(split)

    def in_ledger(self, split: Split) -> str:
        return self._topic.in_ledger(split)

    def change_of(self, split: Split) -> str | None:
        return self._topic.change_of(split)

    def readable(self, spark: SparkSession, table: Table, splits: Iterable[Split]) -> tuple[list[Split], list[str]]:
        ranges = ranges_of(splits)
        archived = _archived(ranges)
        usable, problems = self._topic.readable(spark, table, [one for one in ranges if one.archive is None])
        if not archived:
            return usable, problems
        try:
            content = opened(archive_of(archived))
        except InputError as gone:
            return usable, [*problems, str(gone)]
        lacking = files_of(content, archived)[1]
        if not lacking:
            return [*archived, *usable], problems
        whole = [one for one in archived if one.is_empty or not files_of(content, [one])[1]]
        return [*whole, *usable], [*problems, *lacking]


def _archived(ranges: Iterable[SourceRange]) -> list[SourceRange]:
    return [one for one in ranges if one.archive is not None]
