"""A report with its tables in a directory of a test; its computation is unchanged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import DOMAIN
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.tables import CHANGELOG, Table

_KEPT = ("scan.null-rowtime", DOMAIN)
"""Options of sources about rows, not about files. A test waits for no clock."""


def moved_into(plan: Plan, directory: Path) -> Plan:
    """The plan with sources and sinks below a directory, as files of JSON that hold all columns."""
    return replace(
        plan,
        sources=tuple(_moved_source(source, directory / "sources") for source in plan.sources),
        lookups=tuple(replace(one, table=_moved(one.table, directory / "sources", {})) for one in plan.lookups),
        inserts=tuple(_moved_insert(insert, directory / "sinks") for insert in plan.inserts),
    )


def _moved_source(source: Source, directory: Path) -> Source:
    kept = {name: value for name, value in source.table.options.items() if name.startswith(_KEPT)}
    return replace(source, table=_moved(source.table, directory, kept), partitions=None, archive=None)


def _moved_insert(insert: Insert, directory: Path) -> Insert:
    return replace(insert, sink=_moved(insert.sink, directory, {}))


def _moved(table: Table, directory: Path, kept: dict[str, str]) -> Table:
    form = CHANGELOG if connector_of(table).takes_changes_as_such(table) else "json"
    options = {**kept, "connector": "filesystem", "path": str(directory / table.name), "format": form}
    return replace(table, connector="filesystem", partition_keys=(), options=options)
