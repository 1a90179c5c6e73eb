"""How records of one writer's schema become columns of a table: Avro's schema resolution, by names.

Spark reads the fields that are wanted in the types that they were written in, and SQL makes values of columns of them.
Avro itself would take a writer's microseconds for milliseconds, and a decimal of another scale for another number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import MAX_PRECISION, DataType
from airflow_nrt.model.tables import Column

IS_READ = "_nrt_is_read"
"""A field of no record, whose default shows that one was read: Spark gives a row of NULLs for malformed bytes."""
_PRIMITIVE = ("null", "boolean", "int", "long", "float", "double", "bytes", "string")
_COMPLEX = ("record", "error", "enum", "fixed", "array", "map")
_PLAIN = {
    "BOOLEAN": ("boolean",),
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT"), ("int",)),
    "BIGINT": ("long", "int"),
    "FLOAT": ("float", "int", "long"),
    "DOUBLE": ("double", "int", "long", "float"),
    **dict.fromkeys(("CHAR", "VARCHAR", "STRING"), ("string", "bytes")),
    **dict.fromkeys(("BINARY", "VARBINARY", "BYTES"), ("bytes", "string")),
}
"""By column, what is written as it is, and what Avro takes for it, too."""
_TIMESTAMPS = {
    f"{kind}timestamp-{unit}": f"timestamp-{unit}" for kind in ("", "local-") for unit in ("millis", "micros")
}


class UnfitSchemaError(ValueError):
    """Records of a writer's schema can't be rows of the table. The message says why."""


@dataclass(frozen=True)
class _Part:
    """What Spark reads of a value: its schema (None: nothing), SQL of the value in the type of the column, and SQL of
    whether it is beyond that type (None: it never is)."""

    schema: Any
    value: str
    beyond: str | None = None


@dataclass(frozen=True)
class Reading:
    """The schema with which Spark reads records of a writer; by column, SQL of its value and of whether that is beyond
    its type."""

    schema: str
    values: Mapping[str, str]
    beyond: Mapping[str, str]


def reading(writer: str, columns: Sequence[Column], record: str) -> Reading:
    """Raises UnfitSchemaError.

    >>> from airflow_nrt.basics.types import DataType
    >>> writer = '{"type": "record", "name": "a", "fields": [{"name": "n", "type": "int"}]}'
    >>> print(reading(writer, [Column("n", DataType("BIGINT"))], "r").values["n"])
    CAST(r.`n` AS BIGINT)
    """
    schema = json.loads(writer)
    try:
        return _Writer(schema).reading(schema, columns, record)
    except (LookupError, TypeError, AttributeError, RecursionError):
        raise UnfitSchemaError("it is no schema of Avro") from None


class _Writer:
    """A writer's schema, whose names are known."""

    def __init__(self, schema: Any) -> None:
        self._named: dict[str, tuple[Mapping[str, Any], str]] = {}
        self._emitted: dict[str, Mapping[str, Any]] = {}
        self._records = 0
        self._collect(schema, "")

    def reading(self, schema: Any, columns: Sequence[Column], record: str) -> Reading:
        found, space = self._looked_up(schema, "")
        if isinstance(found, list) or found["type"] not in ("record", "error"):
            raise UnfitSchemaError("it is of no record")
        kinds = tuple((column.name, column.type) for column in columns)
        parts = self._fields(found, space, kinds, record)
        marker = {"name": IS_READ, "type": "boolean", "default": True}
        read = self._record(kinds, parts, [marker])
        beyond = {name: part.beyond for (name, _), part in zip(kinds, parts)}
        for column, part in zip(columns, parts):
            if not column.type.nullable:
                beyond[column.name] = _any(part.beyond, f"{part.value} IS NULL")
        values = {name: part.value for (name, _), part in zip(kinds, parts)}
        return Reading(json.dumps(read), values, {name: sql for name, sql in beyond.items() if sql is not None})

    # ------------------------------------------------------------------ names

    def _collect(self, schema: Any, space: str) -> None:
        if isinstance(schema, list):
            for one in schema:
                self._collect(one, space)
        elif isinstance(schema, dict):
            kind = schema["type"]
            if kind in ("record", "error", "enum", "fixed"):
                name = _full(schema["name"], schema.get("namespace") or space)
                space = name.rpartition(".")[0]
                self._named[name] = (schema, space)
                for one in schema.get("fields", ()):
                    self._collect(one["type"], space)
            elif kind in ("array", "map"):
                self._collect(schema["items" if kind == "array" else "values"], space)
            else:
                self._collect(kind, space)

    def _looked_up(self, schema: Any, space: str) -> tuple[Any, str]:
        """A union, or an object with a type that is no other's name, and the namespace of names in it."""
        while not isinstance(schema, list):
            kind = schema["type"] if isinstance(schema, dict) else schema
            if isinstance(kind, str) and kind in _PRIMITIVE:
                return (schema if isinstance(schema, dict) else {"type": kind}), space
            if isinstance(kind, str) and kind in _COMPLEX:
                named = schema.get("name")
                return schema, _full(named, schema.get("namespace") or space).rpartition(".")[0] if named else space
            if isinstance(kind, str):
                return self._named[_full(kind, space)]
            schema = kind
        return schema, space

    # ------------------------------------------------------------------ values

    def _resolved(self, schema: Any, space: str, kind: DataType, sql: str, depth: int) -> _Part:
        found, space = self._looked_up(schema, space)
        if isinstance(found, list):
            return self._union(found, space, kind, sql, depth)
        written = found["type"]
        logical = found.get("logicalType")
        if kind.name == "ROW" and written in ("record", "error"):
            return self._row(found, space, kind, sql, depth)
        if kind.name == "ARRAY" and written == "array":
            return self._array(found["items"], space, kind.children[0][1], sql, depth)
        if kind.name == "MAP" and written == "map":
            return self._map(found["values"], space, kind.children[1][1], sql, depth)
        if kind.name == "DECIMAL" and written in ("bytes", "fixed"):
            return self._decimal(found, space, kind, sql)
        if kind.is_timestamp and written == "long":
            unit = _TIMESTAMPS.get(logical or "timestamp-millis")
            if unit is not None:
                local = "local-" if kind.name == "TIMESTAMP" else ""
                return _Part({"type": "long", "logicalType": local + unit}, sql)
        if kind.name == "DATE" and written == "int":
            return _Part({"type": "int", "logicalType": "date"}, sql)
        if kind.name == "TIME" and written == "int":
            return _Part("int", sql)
        if kind.name == "TIME" and written == "long" and logical == "time-micros":
            return _Part("long", f"CAST({sql} DIV 1000 AS INT)")
        if kind.is_string and written == "enum":
            return _Part(self._emit(found, space), sql)
        if kind.is_bytes and written == "fixed":
            return _Part(self._emit({"type": "fixed", "name": found["name"], "size": found["size"]}, space), sql)
        if written in _PLAIN.get(kind.name, ()):
            return _plain(written, kind, sql)
        raise UnfitSchemaError(f"{logical or written} is no {kind.flink}")

    def _union(self, branches: list[Any], space: str, kind: DataType, sql: str, depth: int) -> _Part:
        kinds = [self._looked_up(one, space)[0] for one in branches]
        given = [one for one, found in zip(branches, kinds) if isinstance(found, list) or found["type"] != "null"]
        if not given:
            return _Part(None, _null(kind))
        if len(given) == 1:
            part = self._resolved(given[0], space, kind, sql, depth)
        elif kind.name in _PLAIN:
            # What is not of that type makes the record malformed.
            part = _plain(_PLAIN[kind.name][0], kind, sql)
        else:
            raise UnfitSchemaError(f"a union of {len(given)} types is no {kind.flink}")
        may_be_null = len(given) < len(branches)
        return _Part(["null", part.schema] if may_be_null else part.schema, part.value, part.beyond)

    def _row(self, schema: Mapping[str, Any], space: str, kind: DataType, sql: str, depth: int) -> _Part:
        parts = self._fields(schema, space, kind.children, sql, depth)
        fields = (f"{string_literal(name)}, {part.value}" for (name, _), part in zip(kind.children, parts))
        value = f"IF({sql} IS NULL, NULL, named_struct({', '.join(fields)}))"
        return _Part(self._record(kind.children, parts), value, _any(*(part.beyond for part in parts)))

    def _fields(
        self, schema: Mapping[str, Any], space: str, wanted: Sequence[tuple[str, DataType]], sql: str, depth: int = 0
    ) -> list[_Part]:
        there = {one["name"]: one["type"] for one in schema["fields"]}
        parts = []
        for name, kind in wanted:
            if name not in there and not kind.nullable:
                raise UnfitSchemaError(f"it has no field {name!r}, which is NOT NULL")
            if name not in there:
                parts.append(_Part(None, _null(kind)))
                continue
            try:
                parts.append(self._resolved(there[name], space, kind, f"{sql}.{quote(name)}", depth))
            except UnfitSchemaError as unfit:
                raise UnfitSchemaError(f"field {name!r}: {unfit}") from None
        return parts

    def _record(
        self, wanted: Sequence[tuple[str, DataType]], parts: Sequence[_Part], more: Sequence[Mapping[str, Any]] = ()
    ) -> dict[str, Any]:
        # Names of records may differ between writer and reader.
        self._records += 1
        fields = [
            {"name": name, "type": part.schema} for (name, _), part in zip(wanted, parts) if part.schema is not None
        ]
        return {"type": "record", "name": f"_nrt_record_{self._records}", "fields": [*fields, *more]}

    def _array(self, items: Any, space: str, kind: DataType, sql: str, depth: int) -> _Part:
        one = f"one_{depth}"
        part = self._resolved(items, space, kind, one, depth + 1)
        schema = {"type": "array", "items": "null" if part.schema is None else part.schema}
        value = sql if part.value == one else f"transform({sql}, {one} -> {part.value})"
        return _Part(schema, value, part.beyond and f"exists({sql}, {one} -> {part.beyond})")

    def _map(self, values: Any, space: str, kind: DataType, sql: str, depth: int) -> _Part:
        key, one = f"key_{depth}", f"one_{depth}"
        part = self._resolved(values, space, kind, one, depth + 1)
        schema = {"type": "map", "values": "null" if part.schema is None else part.schema}
        value = sql if part.value == one else f"transform_values({sql}, ({key}, {one}) -> {part.value})"
        return _Part(schema, value, part.beyond and f"exists(map_values({sql}), {one} -> {part.beyond})")

    def _decimal(self, schema: Mapping[str, Any], space: str, kind: DataType, sql: str) -> _Part:
        is_decimal = schema.get("logicalType") == "decimal"
        precision = schema["precision"] if is_decimal else kind.digits
        scale = schema.get("scale", 0) if is_decimal else kind.scale or 0
        if not 0 < precision <= MAX_PRECISION or not 0 <= scale <= precision:
            raise UnfitSchemaError(f"a decimal of {precision} digits is no {kind.flink}")
        read = {"logicalType": "decimal", "precision": precision, "scale": scale}
        if schema["type"] == "fixed":
            found = self._emit({"type": "fixed", "name": schema["name"], "size": schema["size"], **read}, space)
        else:
            found = {"type": "bytes", **read}
        if (precision, scale) == (kind.digits, kind.scale or 0):
            return _Part(found, sql)
        value = f"try_cast({sql} AS {kind.spark})"
        return _Part(found, value, f"({sql} IS NOT NULL AND {value} IS NULL)")

    def _emit(self, schema: Mapping[str, Any], space: str) -> Any:
        """A type whose name must be the writer's: whole where it comes first, then its name."""
        whole = {**schema, "name": schema["name"].rpartition(".")[2], "namespace": space}
        name = _full(whole["name"], space)
        if name not in self._emitted:
            self._emitted[name] = whole
            return whole
        if self._emitted[name] != whole:
            raise UnfitSchemaError(f"{name} is two types at once")
        return name


def _plain(written: str, kind: DataType, sql: str) -> _Part:
    if kind.name in ("TINYINT", "SMALLINT"):
        value = f"try_cast({sql} AS {kind.spark})"
        return _Part(written, value, f"({sql} IS NOT NULL AND {value} IS NULL)")
    return _Part(written, sql if written == _PLAIN[kind.name][0] else f"CAST({sql} AS {kind.spark})")


def _null(kind: DataType) -> str:
    return f"CAST(NULL AS {kind.spark})"


def _any(*conditions: str | None) -> str | None:
    """SQL of whether one of them is met, None if there is none.

    >>> _any(None, "a IS NULL", "b")
    '(coalesce(a IS NULL, false) OR coalesce(b, false))'
    """
    given = [f"coalesce({one}, false)" for one in conditions if one is not None]
    return f"({' OR '.join(given)})" if given else None


def _full(name: str, space: str) -> str:
    return name if "." in name or not space else f"{space}.{name}"
