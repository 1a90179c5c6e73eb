"""Connectors that rows come from."""

from __future__ import annotations

from airflow_nrt.engine.sources.datagen import Datagen
from airflow_nrt.engine.sources.filesystem import Filesystem
from airflow_nrt.engine.sources.source import Source
from airflow_nrt.home.log.entries import Split
from airflow_nrt.model.tables import Table

SOURCES: dict[str, Source] = {"filesystem": Filesystem(), "datagen": Datagen()}


def source_of(table: Table) -> Source:
    return SOURCES[table.connector]


def arrived(table: Table) -> list[Split]:
    """All splits that a table has now."""
    return source_of(table).enumerator(table).poll()
