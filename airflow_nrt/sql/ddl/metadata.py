"""METADATA columns: what a connector knows about a row beside its content, under Flink's keys."""

from __future__ import annotations

from airflow_nrt.basics.nearest import nearest
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.connectors.connector import Connector
from airflow_nrt.model.tables import Column
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.casts import cast
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast, parsed

_INSTANT = DataType("TIMESTAMP_LTZ", precision=3, nullable=False)


def metadata_column(definition: parsed.ColumnDefinition, connector: Connector | None) -> Column:
    """The column as a computed one. One that is declared with another type is CAST to it, as in Flink.

    Raises SqlError for a key that tables of this connector do not have, or a type that it can't be cast to.
    Without a known connector any key passes: the connector is the error of such a table.
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
    if known.is_alike(kind):
        return Column(definition.name, kind, known.sql, metadata=key)
    try:
        value = cast(Typed(known.sql, known.type), kind, True, definition.at)
    except NotThereYet:
        types = f"a {known.type.with_nullable(True).flink}, and can't be cast to {kind.flink}"
        raise SqlError(f"column {definition.name!r}: metadata {key!r} is {types}", definition.at) from None
    return Column(definition.name, kind, value.sql, metadata=key)


def is_system_rowtime(node: ast.Expression | None) -> bool:
    """Whether a computed column is `SYSTEM_ROWTIME()` (FLIP-66), the time of a row in its source."""
    return isinstance(node, ast.Call) and node.name == "SYSTEM_ROWTIME" and not node.arguments


def rowtime_of_source(definition: parsed.ColumnDefinition, connector: Connector | None) -> Column:
    """The column of `SYSTEM_ROWTIME()`: the time when a row came into its source. Raises SqlError if there is none."""
    if connector is None:
        return Column(definition.name, _INSTANT, "NULL", metadata="")
    if not connector.arrival:
        raise SqlError(
            f"column {definition.name!r}: connector '{connector.name}' knows no time of its rows", definition.at
        )
    known = connector.metadata[connector.arrival]
    return Column(definition.name, known.type, known.sql, metadata=connector.arrival)


def is_rowtime_of_source(column: Column, connector: Connector | None) -> bool:
    return column.metadata is not None and (connector is None or column.metadata == connector.arrival)
