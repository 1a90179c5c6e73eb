"""Connectors that rows come from."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.engine.sources.datagen import Datagen
from airflow_nrt.engine.sources.filesystem import Filesystem
from airflow_nrt.engine.sources.kafka.kafka import Kafka
from airflow_nrt.engine.sources.source import Source
from airflow_nrt.home.log.entries import Split
from airflow_nrt.model.tables import Table

SOURCES: dict[str, Source] = {"filesystem": Filesystem(), "kafka": Kafka(), "datagen": Datagen()}


def source_of(table: Table) -> Source:
    return SOURCES[table.connector]


def arrived(spark: SparkSession | None, table: Table) -> list[Split]:
    """All splits that a table has now."""
    return source_of(table).enumerator(spark, table).poll()
