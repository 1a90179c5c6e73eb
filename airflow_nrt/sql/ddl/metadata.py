"""METADATA columns: what a connector knows of a row beside its content, under Flink's keys."""

from __future__ import annotations

from airflow_nrt.model.connectors.connector import Connector
from airflow_nrt.model.connectors.filesystem import INSTANT, WRITTEN_AT
from airflow_nrt.model.options.known import nearest
from airflow_nrt.model.tables import MODIFIED, Column
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast, parsed


def metadata_column(definition: parsed.ColumnDefinition, connector: Connector | None) -> Column:
    """The column as a computed one. Raises SqlError for a key that tables of this connector do not have.

    Where there is no such connector, that is what is wrong with the table, and any key will do.
    """
    key, kind = definition.metadata, definition.type
    assert key is not None and kind is not None
    if connector is None:
        return Column(definition.name, kind, "NULL", metadata=key)
    known = connector.metadata.get(key)
    if known is None:
        there = f"it has {', '.join(map(repr, connector.metadata))}" if connector.metadata else "it has none"
        raise SqlError(
            f"column {definition.name!r}: connector '{connector.name}' has no metadata {key!r}"
            f"{nearest(key, connector.metadata)}; {there}",
            definition.at,
        )
    if not known.is_alike(kind):
        raise SqlError(
            f"column {definition.name!r}: metadata {key!r} is a {known.type.with_nullable(True).flink}, "
            f"not {kind.flink}",
            definition.at,
        )
    return Column(definition.name, kind, known.sql, metadata=key)


def is_system_rowtime(node: ast.Expression | None) -> bool:
    """Whether a computed column is `SYSTEM_ROWTIME()` (FLIP-66), the time that the source gives each row."""
    return isinstance(node, ast.Call) and node.name == "SYSTEM_ROWTIME" and not node.arguments


def rowtime_of_source(name: str) -> Column:
    """Such a column: files give their rows the time when they were written."""
    return Column(name, INSTANT, MODIFIED, metadata=WRITTEN_AT)


def is_rowtime_of_source(column: Column) -> bool:
    return column.metadata == WRITTEN_AT
