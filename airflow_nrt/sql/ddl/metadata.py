"""METADATA columns: what a connector knows of a row beside its content, under Flink's keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from airflow_nrt.basics.types import BIGINT, STRING, DataType
from airflow_nrt.model.options.known import nearest
from airflow_nrt.model.tables import MODIFIED, SIZE, SOURCE_FILE, Column
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import ast, parsed

_PATH = f"url_decode(replace({SOURCE_FILE}, '+', '%2B'))"
_INSTANT = DataType("TIMESTAMP_LTZ", precision=3, nullable=False)
_MODIFIED = "file.modification-time"


class _Known(NamedTuple):
    sql: str
    type: DataType
    is_alike: Callable[[DataType], bool]


_FILESYSTEM = {
    "file.path": _Known(_PATH, STRING, lambda kind: kind.is_string),
    "file.name": _Known(f"regexp_extract({_PATH}, '[^/]*$', 0)", STRING, lambda kind: kind.is_string),
    "file.size": _Known(SIZE, BIGINT, lambda kind: kind.name == "BIGINT"),
    _MODIFIED: _Known(MODIFIED, _INSTANT, lambda kind: (kind.name, kind.precision) == ("TIMESTAMP_LTZ", 3)),
}
"""Whoever adds a column of files adds it to `read_files`, too."""


def metadata_column(definition: parsed.ColumnDefinition) -> Column:
    """The column as a computed one. Raises SqlError for a key that a table of files does not have."""
    key, kind = definition.metadata, definition.type
    assert key is not None and kind is not None
    known = _FILESYSTEM.get(key)
    if known is None:
        raise SqlError(
            f"column {definition.name!r}: files have no metadata {key!r}{nearest(key, _FILESYSTEM)}; "
            f"they have {', '.join(map(repr, _FILESYSTEM))}",
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
    return Column(name, _INSTANT, MODIFIED, metadata=_MODIFIED)


def is_rowtime_of_source(column: Column) -> bool:
    return column.metadata == _MODIFIED
