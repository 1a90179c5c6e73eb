"""Columns of a table in a database, in groups of types that take, and give back, the same values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airflow_nrt.basics.types import DataType

WHOLE, DECIMAL, APPROXIMATE, BOOLEAN, TEXT, BYTES, DATE, TIME, TIMESTAMP, JSON, OTHER = (
    "whole numbers",
    "decimal numbers",
    "approximate numbers",
    "booleans",
    "texts",
    "bytes",
    "dates",
    "times",
    "timestamps",
    "json",
    "other values",
)
_GROUPS: Mapping[str, tuple[str, ...]] = {
    WHOLE: ("smallint", "int", "integer", "bigint", "int2", "int4", "int8", "tinyint", "mediumint"),
    DECIMAL: ("numeric", "decimal"),
    APPROXIMATE: ("real", "float4", "float8", "float", "double", "double precision"),
    BOOLEAN: ("bool", "boolean"),
    TEXT: ("text", "varchar", "bpchar", "char", "tinytext", "mediumtext", "longtext"),
    BYTES: ("bytea", "tinyblob", "blob", "mediumblob", "longblob", "binary", "varbinary"),
    DATE: ("date",),
    TIME: ("time", "timetz"),
    TIMESTAMP: ("timestamp", "timestamptz", "datetime"),
    JSON: ("json",),
}
_GROUP_OF = {kind: group for group, kinds in _GROUPS.items() for kind in kinds}
_SINGLE = ("real", "float4", "float")
_NUMBERS = (DECIMAL, APPROXIMATE, TEXT)


@dataclass(frozen=True)
class DatabaseColumn:
    """A column. `kind` is its type in the database's words, `size` the number of its characters, bytes or digits, and
    `digits` that of its fraction, None where it has no bound."""

    name: str
    kind: str
    size: int | None = None
    digits: int | None = None
    nullable: bool = True

    @property
    def group(self) -> str:
        return _GROUP_OF.get(self.kind.removesuffix(" unsigned"), OTHER)

    def gives_back(self, kind: DataType) -> bool:
        """Whether values of a report's type can be read from it again, but for digits that it has no room for.

        A number of single precision has several spellings, which only a FLOAT reads as the same.
        """
        if self.kind.removesuffix(" unsigned") in _SINGLE:
            return kind.name == "FLOAT"
        return self.group in _taken(kind) or (kind.children != () and self.kind == "jsonb")


def _taken(kind: DataType) -> tuple[str, ...]:
    """The groups of columns that give back values of a type.

    Texts come back from columns of unknown types, such as enumerations, as the database spells them.
    """
    if kind.is_integer or (kind.name == "DECIMAL" and not kind.scale):
        return (WHOLE, *_NUMBERS)
    if kind.is_numeric:
        return _NUMBERS
    if kind.name == "BOOLEAN":
        return (BOOLEAN, WHOLE, *_NUMBERS)
    if kind.is_string:
        return (TEXT, JSON, OTHER)
    if kind.is_bytes:
        return (BYTES,)
    if kind.name == "DATE":
        return (DATE, TIMESTAMP, TEXT)
    if kind.name == "TIME":
        return (TIME, TEXT)
    return (TIMESTAMP, TEXT) if kind.is_timestamp else (TEXT, JSON)
