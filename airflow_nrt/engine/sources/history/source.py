"""A source that is composed: a topic, and another table that has its past."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sources.archive.stored_columns import metadata_columns
from airflow_nrt.engine.sources.filesystem import Filesystem
from airflow_nrt.engine.sources.history.enumerator import PastThenTopic
from airflow_nrt.engine.sources.history.past_files import in_order_of_time, least_time_known, timed
from airflow_nrt.engine.sources.kafka.kafka import Kafka
from airflow_nrt.engine.sources.malformed import FAULT, WHY
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source, SplitEnumerator
from airflow_nrt.home.log.splits import SourceFile, Split, files_of, ranges_of
from airflow_nrt.model.connectors.kafka_options import HISTORY, HISTORY_UNTIL
from airflow_nrt.model.input.history import as_history
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import LINE, History, Table

_FILES = Filesystem()


class TopicWithPast(Source):
    """A topic. Files of the log are of its past."""

    part = Kafka.part
    place = Kafka.place
    needs_session = True
    may_lose_records = True
    skips = True
    correction = "A record of a topic can't be corrected:"

    def __init__(self, topic: Source, connector: Callable[[Table], Source]) -> None:
        self._topic = topic
        self._connector = connector

    def check(self, spark: SparkSession, table: Table) -> None:
        self._topic.check(spark, table)
        if table.history is not None:
            self._connector(table.history.table).check(spark, table.history.table)

    def load_client(self, spark: SparkSession, table: Table) -> None:
        self._topic.load_client(spark, table)

    def guard(self, spark: SparkSession, table: Table) -> None:
        if table.history is not None:
            self._connector(table.history.table).guard(spark, table.history.table)

    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> SplitEnumerator:
        assert spark is not None
        if table.history is None:
            return self._topic.enumerator(spark, table, read)
        read = list(read)
        topic, files = self._topic.enumerator(spark, table, ranges_of(read)), files_of(read)
        has_begun = any(not one.is_empty for one in ranges_of(read))
        if has_begun or any(one.until == table.history.until for one in files):
            # The past is read.
            return topic
        return PastThenTopic(table.name, topic, partial(self._past, spark, table, table.history, files))

    def _past(
        self, spark: SparkSession, table: Table, history: History, read: Sequence[SourceFile]
    ) -> list[SourceFile]:
        connector = self._connector(history.table)
        standing = connector.standing(spark, history.table, read)
        files = in_order_of_time(standing, history.until, least_time_known(table, history, connector))
        if not files and not read:
            raise InputError(
                f"table {table.name!r}: '{HISTORY}': table {history.table.name!r} has no file with rows before "
                f"{format_instant(history.until)}: correct its place or '{HISTORY_UNTIL}', or leave both options out"
            )
        return files

    def row_at(self, spark: SparkSession, source: PlannedSource, place: str) -> SkippedRow:
        return self._topic.row_at(spark, source, place)

    def is_skipped(self, rows: Sequence[SkippedRow]) -> str:
        return self._topic.is_skipped(rows)

    def parts(self, splits: Iterable[Split]) -> dict[str, str]:
        splits = list(splits)
        return super().parts(splits) if files_of(splits) else self._topic.parts(splits)

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        files, ranges = request.files, [one for one in request.ranges if not one.is_empty]
        if not files:
            return self._topic.read(spark, source, request)
        rows = self._read_past(spark, source, request.of(files))
        if not ranges:
            return rows
        of_topic = self._topic.read(spark, source, request.of(ranges))
        return rows.unionByName(of_topic.select(*rows.columns))

    def _read_past(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        past = as_history(source)
        rows = self._connector(past.table).read(spark, past, request)
        physical = [quote(name) for name in source.physical]
        hidden = (LINE, FAULT, WHY, FILE, NUMBER, BLOCK, INDEX)
        keys = ((source.table.column(name).metadata, name) for name in past.columns)
        return rows.selectExpr(*physical, *hidden, *metadata_columns({key: name for key, name in keys if key}))

    def spellings(self, split: Split) -> tuple[str, ...]:
        return self._of(split).spellings(split)

    def in_ledger(self, split: Split) -> str:
        return self._of(split).in_ledger(split)

    def change_of(self, split: Split) -> str | None:
        return self._of(split).change_of(split)

    def gone(self, split: Split) -> str:
        return self._of(split).gone(split)

    def times(self, table: Table, split: Split) -> tuple[int, int] | None:
        history = table.history
        if history is None or not isinstance(split, SourceFile):
            return None
        return self._connector(history.table).times(timed(table, history), split)

    def _of(self, split: Split) -> Source:
        return _FILES if isinstance(split, SourceFile) else self._topic

    def readable(self, spark: SparkSession, table: Table, splits: Iterable[Split]) -> tuple[list[Split], list[str]]:
        splits = list(splits)
        usable, problems = self._topic.readable(spark, table, ranges_of(splits))
        if table.history is None:
            return usable, problems
        past, lacking = self._connector(table.history.table).readable(spark, table.history.table, files_of(splits))
        return [*past, *usable], [*lacking, *problems]
