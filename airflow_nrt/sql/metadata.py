"""METADATA columns: what a connector knows of a row beside its content, under Flink's keys."""

from __future__ import annotations

from airflow_nrt.report.options import nearest
from airflow_nrt.report.tables import SOURCE_FILE, Column
from airflow_nrt.sql import parsed
from airflow_nrt.sql.errors import NotThereYet, SqlError

_PATH = f"url_decode(replace({SOURCE_FILE}, '+', '%2B'))"
_FILESYSTEM = {"file.path": _PATH, "file.name": f"regexp_extract({_PATH}, '[^/]*$', 0)"}
_LATER = ("file.size", "file.modification-time")


def metadata_column(definition: parsed.ColumnDefinition) -> Column:
    """The column as a computed one. Raises SqlError for a key that a table of files does not have."""
    key, kind = definition.metadata, definition.type
    assert key is not None and kind is not None
    if key in _LATER:
        raise NotThereYet(f"METADATA FROM {key!r}", definition.at)
    if key not in _FILESYSTEM:
        known = (*_FILESYSTEM, *_LATER)
        raise SqlError(
            f"column {definition.name!r}: files have no metadata {key!r}{nearest(key, known)}; "
            f"they have {', '.join(map(repr, known))}",
            definition.at,
        )
    if not kind.is_string:
        raise SqlError(f"column {definition.name!r}: metadata {key!r} is a STRING, not {kind.flink}", definition.at)
    return Column(definition.name, kind, _FILESYSTEM[key], metadata=key)
