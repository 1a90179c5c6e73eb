"""Topics as a source: a split is a range of offsets of one partition, and each partition has a watermark of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.sources.kafka.client import Client
from airflow_nrt.engine.sources.kafka.contents import check_registries
from airflow_nrt.engine.sources.kafka.kafka_rows import load_rows
from airflow_nrt.engine.sources.kafka.offset_ranges import Partitions
from airflow_nrt.engine.sources.kafka.record_places import record_at
from airflow_nrt.engine.sources.kafka.records import no_records, read_ranges
from airflow_nrt.engine.sources.kafka.retention import same_topics, still_there
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source
from airflow_nrt.home.log.splits import Split, ranges_of
from airflow_nrt.model.connectors.kafka import PARTITION
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import Table


def by_name(parts: Iterable[str]) -> dict[str, str]:
    """SQL predicate: a row is of a part, for each part."""
    return {part: f"{Kafka.part} = {string_literal(part)}" for part in parts}


class Kafka(Source):
    part = f"substring_index({FILE}, '@', 1)"
    place = f"concat({part}, '@', {BLOCK} + {INDEX})"
    needs_session = True
    may_lose_records = True
    skips = True
    correction = "A record of a topic can't be corrected:"

    def check(self, spark: SparkSession, table: Table) -> None:
        client = Client(spark, table)
        try:
            client.ends(client.partitions())
        finally:
            client.close()
        check_registries(table)

    def load_client(self, spark: SparkSession, table: Table) -> None:
        self.check(spark, table)
        load_rows(spark)

    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> Partitions:
        assert spark is not None
        return Partitions(spark, table, ranges_of(read))

    def row_at(self, spark: SparkSession, source: PlannedSource, place: str) -> SkippedRow:
        return record_at(spark, source.table, place)

    def is_skipped(self, rows: Sequence[SkippedRow]) -> str:
        """SQL predicate: a record is one of these.

        concat(substring_index(_nrt_file, '@', 1), '@', _nrt_block + _nrt_index) IN ('orders-0@800')
        """
        return f"{self.place} IN ({', '.join(string_literal(str(row)) for row in rows)})"

    def parts(self, splits: Iterable[Split]) -> dict[str, str]:
        named = {one.part: one.part.rpartition("-") for one in ranges_of(splits)}
        if len({topic for topic, _, _ in named.values()}) > 1:
            return by_name(named)
        # Each row is compared with each part, and numbers are compared faster.
        return {part: f"{PARTITION} = {number}" for part, (_, _, number) in named.items()}

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        ranges = [one for one in request.ranges if not one.is_empty and not one.lost]
        if not ranges:
            return no_records(spark, source)
        return request.tasks.gathered(read_ranges(spark, source, ranges, request.numbers or {}, request.schemas))

    def spellings(self, split: Split) -> tuple[str, ...]:
        return (split.name,)

    def in_ledger(self, split: Split) -> str:
        return split.name

    def change_of(self, split: Split) -> str | None:
        """A record does not change. Whether it is still there is asked for all at once (`readable`)."""
        return f"the records of {split.name} were removed before they were read" if split.corrupt else None

    def readable(self, spark: SparkSession, table: Table, splits: Iterable[Split]) -> tuple[list[Split], list[str]]:
        client = Client(spark, table)
        try:
            there = set(client.partitions())
            starts = client.starts(there)
        finally:
            client.close()
        ranges, anew = same_topics(table, splits, client.topic_ids)
        usable, gone = still_there(ranges, starts)
        return usable, [*anew, *gone]
