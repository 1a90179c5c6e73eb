"""Connectors that rows come from."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import SparkSession

from airflow_nrt.basics.registry import Registry
from airflow_nrt.engine.sources.archive.source import ArchivedTopic
from airflow_nrt.engine.sources.constants import Constants
from airflow_nrt.engine.sources.datagen import Datagen
from airflow_nrt.engine.sources.filesystem import Filesystem
from airflow_nrt.engine.sources.history.source import TopicWithPast
from airflow_nrt.engine.sources.kafka.kafka import Kafka
from airflow_nrt.engine.sources.lakehouse.delta import DeltaHistory
from airflow_nrt.engine.sources.lakehouse.iceberg import IcebergHistory
from airflow_nrt.engine.sources.lakehouse.lakehouse import LakehouseSource
from airflow_nrt.engine.sources.source import Source
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.tables import Table

_BUILT_IN: dict[str, Source] = {
    "filesystem": Filesystem(),
    "kafka": TopicWithPast(ArchivedTopic(Kafka()), lambda table: source_of(table)),
    "upsert-kafka": Kafka(),
    "delta": LakehouseSource(DeltaHistory),
    "iceberg": LakehouseSource(IcebergHistory),
    "datagen": Datagen(),
    "values": Constants(),
}
SOURCES = Registry("airflow_nrt.sources", Source, _BUILT_IN)  # type: ignore[type-abstract]


def source_of(table: Table) -> Source:
    return SOURCES.of(table.connector)


def arrived(spark: SparkSession | None, table: Table) -> list[Split]:
    """All splits that a table has now."""
    return not_read(spark, table, ())


def not_read(spark: SparkSession | None, table: Table, read: Iterable[Split]) -> list[Split]:
    """The splits that a table has now, without those that were read."""
    enumerator = source_of(table).enumerator(spark, table, read)
    try:
        found = enumerator.poll()
        # Empty splits alone say where reading begins.
        return found + enumerator.poll() if found and all(one.is_empty for one in found) else found
    finally:
        enumerator.close()
