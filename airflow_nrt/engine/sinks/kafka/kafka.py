"""A topic as a sink: staged below the home until the log has decided, then written at least once.

Spark's writer has no transactions, so a crash while records are written repeats some of them. Each has headers that say
which report, insert, log entry and window it is of: of records with equal report, insert, window and key the one of the
latest entry counts, once.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks.held_rows import HeldRows
from airflow_nrt.engine.sinks.kafka.limits import held_records
from airflow_nrt.engine.sinks.kafka.records import ENTRY, HEADERS, KEY, REPORT, VALUE, header, records
from airflow_nrt.engine.sinks.kafka.schema_numbers import published_numbers, schema_numbers, with_number
from airflow_nrt.engine.sinks.sink import Sink
from airflow_nrt.engine.sinks.staged_parquet import in_windows, staged_parquet
from airflow_nrt.engine.sources.kafka.client import PATIENCE, Client
from airflow_nrt.engine.sources.kafka.contents import check_registries
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.model.connectors.kafka_options import properties, topics
from airflow_nrt.model.plan import Insert

_OF_CONSUMERS = ("group.id", "auto.offset.reset", "enable.auto.commit", "isolation.level")


class Kafka(Sink):
    publishes_entries = True

    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        """Raises InputError if there is no such topic, or a registry refuses the schema of the columns.

        A topic may have several writers, so nothing is claimed.
        """
        _ask(spark, insert)
        schema_numbers(insert.sink)

    def look(self, spark: SparkSession, insert: Insert) -> None:
        _ask(spark, insert)
        check_registries(insert.sink)

    def held(self, spark: SparkSession, insert: Insert) -> HeldRows:
        """The records that Kafka's producer sends, and that the topic takes."""
        client = Client(spark, insert.sink)
        try:
            most = client.longest_record()
        finally:
            client.close()
        return held_records(insert, most)

    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> Iterator[Published]:
        """Writes keys, values and headers in Parquet, one file a window."""
        rows = records(in_windows(frame, insert, tasks), insert)
        return staged_parquet(rows, insert, directory, state, lambda end: uuid.uuid4().hex)

    def publish(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> None:
        # A window that did not change has no file.
        files = [one for one in files if one.rows]
        if not files or not all((home.root / one.staged).exists() for one in files):
            return
        paths = [str(home.directory / one.staged) for one in files]
        of_entry = {REPORT: home.identity().name, ENTRY: str(entry.n)}
        more = ", ".join(header(name, string_literal(text)) for name, text in of_entry.items())
        given = {f"kafka.{name}": text for name, text in properties(insert.sink).items() if name not in _OF_CONSUMERS}
        waits = {"kafka.max.block.ms": PATIENCE, "kafka.delivery.timeout.ms": "120000"}
        numbers = published_numbers(insert.sink)
        key, value = (with_number(column, numbers.get(column)) for column in (KEY, VALUE))
        rows = spark.read.parquet(*paths).selectExpr(key, value, f"concat({HEADERS}, array({more})) AS {HEADERS}")
        rows.write.format("kafka").options(**waits, **given, topic=topics(insert.sink)[0], includeHeaders=True).save()
        reach("kafka-sent")

    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        """Does nothing: what was sent can't be taken back."""


def _ask(spark: SparkSession, insert: Insert) -> None:
    """Raises InputError if there is no such topic."""
    client = Client(spark, insert.sink)
    try:
        client.partitions()
    finally:
        client.close()
