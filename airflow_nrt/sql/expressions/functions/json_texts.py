"""Values as Flink writes them in JSON: times in ISO 8601, bytes in Base64, names and keys sorted."""

from __future__ import annotations

import json
from dataclasses import dataclass

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.expressions.typed import Typed

_WRITTEN_OUT = ("TIMESTAMP", "TIMESTAMP_LTZ", "BYTES", "VARBINARY", "BINARY", "ROW", "MAP", "FLOAT", "DOUBLE")
"""Types that Spark's own JSON writes in another way, also inside of arrays and maps."""
_NO_ZEROS = r"'\\.0+$|(?<=[1-9])0+$'"


@dataclass(frozen=True)
class JsonText(Typed):
    """A string that is JSON already. JSON_OBJECT and JSON_ARRAY write it unchanged."""


def json_text(value: Typed, at: Place, name: str) -> str:
    """SQL of a value as JSON, NULL if it is NULL. Raises NotThereYet for types that are not supported."""
    if isinstance(value, JsonText):
        return value.sql
    _check_writable(value.type, at, name)
    return _written(value.sql, value.type, 0)


def member_sql(key: str, text: str) -> str:
    """A member of an object, whose value is this JSON.

    >>> print(member_sql("a", "b"))
    concat('"a":', b)
    """
    return f"concat({string_literal(json.dumps(key, ensure_ascii=False) + ':')}, {text})"


def _written(sql: str, kind: DataType, depth: int) -> str:
    """SQL of a value as JSON, NULL if it is NULL.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_written("`a`", DataType("ARRAY", children=(("element", DataType("INT")),)), 0))
    CASE WHEN `a` IS NOT NULL THEN substring(to_json(array(`a`)), 2, length(to_json(array(`a`))) - 2) END
    """
    if not kind.holds(*_WRITTEN_OUT):
        text = f"to_json(array({sql}))"
        return f"CASE WHEN {sql} IS NOT NULL THEN substring({text}, 2, length({text}) - 2) END"
    name = f"_nrt_j{depth}"

    def inside(part: str, of: DataType) -> str:
        return f"coalesce({_written(part, of, depth + 1)}, 'null')"

    if kind.name == "ARRAY":
        listed = f"transform({sql}, {name} -> {inside(name, kind.children[0][1])})"
        return f"concat('[', array_join({listed}, ','), ']')"
    if kind.name == "MAP":
        (_, key), (_, of) = kind.children
        entry = f"concat({inside(f'{name}.key', key)}, ':', {inside(f'{name}.value', of)})"
        entries = f"transform(map_entries({sql}), {name} -> struct({name}.key AS k, {entry} AS t))"
        return f"concat('{{', array_join(array_sort({entries}).t, ','), '}}')"
    if kind.name == "ROW":
        fields = [member_sql(field, inside(f"{name}.{quote(field)}", of)) for field, of in sorted(kind.children)]
        body = f"concat('{{', concat_ws(',', {', '.join(fields)}), '}}')"
        return f"transform(array({sql}), {name} -> IF({name} IS NULL, NULL, {body}))[0]"
    if kind.is_bytes:
        return f"concat('\"', base64({sql}), '\"')"
    if kind.is_timestamp:
        zone = "Z" if kind.name == "TIMESTAMP_LTZ" else ""
        shown = f"date_format({sql}, \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS\")"
        return f"concat('\"', regexp_replace({shown}, {_NO_ZEROS}, ''), '{zone}\"')"
    text = f"to_json(array({sql}))"
    text = f"regexp_replace(substring({text}, 2, length({text}) - 2), 'E(?=[0-9])', 'E+')"
    return f"CASE WHEN {sql} IS NOT NULL THEN {text} END"


def _check_writable(kind: DataType, at: Place, name: str) -> None:
    known = ("ARRAY", "BOOLEAN", "NULL", *_WRITTEN_OUT)
    if kind.name not in known and not (kind.is_string or kind.is_numeric):
        raise NotThereYet(f"{name} of {kind.flink}", at, "CAST it to STRING")
    if kind.name == "MAP" and not kind.children[0][1].is_string:
        raise NotThereYet(f"{name} of {kind.flink}", at, "CAST its keys to STRING")
    for _, child in kind.children:
        _check_writable(child, at, name)
