"""Several INSERTs into one table of files with a PRIMARY KEY: each replaces only its own rows."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.inserts.inserts import written_columns
from airflow_nrt.sql.parse import ast, parsed


def check_alone(sink: Table, statement: parsed.Insert, others: Iterable[parsed.Insert]) -> None:
    """Raises SqlError if this INSERT and another one could each write a row of one key."""
    if not connector_of(sink).keeps_rows or not sink.primary_key:
        return
    mine = _literals(sink, statement)
    for other in others:
        theirs = _literals(sink, other)
        if not any(mine[name] != theirs[name] for name in mine.keys() & theirs.keys()):
            raise SqlError(
                f"table {sink.name!r} has a PRIMARY KEY, and the INSERT of line {other.at.line} writes into it, too: "
                "neither replaces rows of the other, so that a key could be there twice. Make them one INSERT with "
                f"UNION ALL, or SELECT a different text in each for a column of ({', '.join(sink.primary_key)})",
                statement.at,
            )


def _literals(sink: Table, statement: parsed.Insert) -> dict[str, str]:
    """The key columns that are one text in all rows. Numbers don't count: equal ones can be written differently."""
    query = statement.query
    if not isinstance(query, ast.Select) or any(isinstance(item.expression, ast.Star) for item in query.items):
        return {}
    targets = statement.columns or tuple(column.name for column in written_columns(sink))
    return {
        name: item.expression.text
        for name, item in zip(targets, query.items)
        if name in sink.primary_key and isinstance(item.expression, ast.Literal) and item.expression.kind == "string"
    }
