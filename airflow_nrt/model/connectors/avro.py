"""Format `avro`: the Avro schema of a table's columns, as Flink derives it.

A record of a topic comes without its schema, so writer and reader must derive the same one. The names of records are
Flink's: no record has them, but a schema needs some.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.options.option import Option, free, named, of_policy, only, parse_boolean
from airflow_nrt.model.tables import Column, Table

AVRO = "avro"
LEGACY_MAPPING = "avro.timestamp_mapping.legacy"
AVRO_OPTIONS = (
    Option(
        LEGACY_MAPPING,
        parse_boolean,
        True,
        "true: TIMESTAMP is Avro's timestamp-millis; false: it is local-timestamp-…, TIMESTAMP_LTZ is timestamp-…",
    ),
    Option("avro.encoding", only("binary", "write 'format' = 'json' for JSON"), "binary", "how a record is written"),
    *of_policy(
        Option(
            "avro.ignore-parse-errors",
            parse_boolean,
            False,
            "A record that can't be parsed is rejected and counted. Flink has no such option, and fails.",
        )
    ),
    *free(Option("avro.open.fastread", parse_boolean, False, "of the reader", idle="Spark has one reader")),
)
RECORD = "org.apache.flink.avro.generated.record"
"""The name of the outermost record, and what the names of the records inside begin with."""
_NAME = re.compile(r"[^\W\d]\w*")
_DEFAULT_DIGITS = 6
"""Of the fraction of a second of TIMESTAMP."""

_SCALARS = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT"), "int"),
    "BIGINT": "long",
    "FLOAT": "float",
    "DOUBLE": "double",
    **dict.fromkeys(("CHAR", "VARCHAR", "STRING"), "string"),
    **dict.fromkeys(("BINARY", "VARBINARY", "BYTES"), "bytes"),
}


@dataclass(frozen=True)
class Timestamps:
    """The logical types of TIMESTAMP and TIMESTAMP_LTZ, without their unit, and the most digits of a fraction.

    `instant` is None where TIMESTAMP_LTZ has none. `inside` is the mapping in arrays and maps, None for the same.
    """

    plain: str
    instant: str | None
    digits: int
    inside: Timestamps | None = None
    option: str = LEGACY_MAPPING
    """The option that chooses another mapping."""

    @property
    def in_collections(self) -> Timestamps:
        return replace(self.inside, option=self.option) if self.inside else self


LEGACY = Timestamps("timestamp", None, 3)
# Flink hands its option on into rows only.
CORRECT = Timestamps("local-timestamp", "timestamp", 6, inside=LEGACY)
WIRE = Timestamps("local-timestamp", "timestamp", 6)
"""What Spark needs to read and write the same bytes: to it a TIMESTAMP is always local."""


def check_avro(part: Table) -> None:
    """Raises InputError if Flink derives no Avro schema of a key or a value."""
    record_schema(part, part.columns, _mapping(part))


def record_schema(part: Table, columns: Sequence[Column], timestamps: Timestamps) -> dict[str, Any]:
    """The schema of a record with these columns, as it is written in JSON.

    Raises InputError for a column that Avro has no type or no name for.
    """
    names: set[str] = set()
    fields = [
        _field(column.name, column.type, RECORD, timestamps, names, f"table {part.name!r}: column {column.name!r}")
        for column in columns
    ]
    return {"type": "record", "name": RECORD, "fields": fields}


def _mapping(part: Table) -> Timestamps:
    option = named(AVRO_OPTIONS)[LEGACY_MAPPING]
    text = part.options.get(LEGACY_MAPPING)
    return LEGACY if (option.default if text is None else option.read(text)) else CORRECT


def _field(
    name: str, kind: DataType, record: str, timestamps: Timestamps, names: set[str], where: str
) -> dict[str, Any]:
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"{where}: Avro has no field called {name!r}: a name has letters, digits and '_'. Call it otherwise"
        )
    schema = _schema(kind, f"{record}_{name}", timestamps, names, where)
    return {"name": name, "type": schema, **({"default": None} if kind.nullable else {})}


def _schema(kind: DataType, record: str, timestamps: Timestamps, names: set[str], where: str) -> Any:
    """The schema of a value. `record` is what a record is called that stands here, `names` are those in use."""
    found = _not_null(kind, record, timestamps, names, where)
    return ["null", found] if kind.nullable else found


def _not_null(kind: DataType, record: str, timestamps: Timestamps, names: set[str], where: str) -> Any:
    if kind.name in _SCALARS:
        return _SCALARS[kind.name]
    if kind.name == "DATE":
        return {"type": "int", "logicalType": "date"}
    if kind.name == "TIME":
        return {"type": "int", "logicalType": "time-millis"}
    if kind.is_timestamp:
        return _timestamp(kind, timestamps, where)
    if kind.name == "DECIMAL":
        return {"type": "bytes", "logicalType": "decimal", "precision": kind.digits, "scale": kind.scale or 0}
    if kind.name == "ARRAY":
        return {"type": "array", "items": _schema(kind.children[0][1], record, timestamps.in_collections, names, where)}
    if kind.name == "MAP":
        (_, key), (_, value) = kind.children
        if not key.is_string:
            raise InputError(f"{where}: keys of Avro's maps are texts, here they are {key.flink}: use MAP<STRING, …>")
        return {"type": "map", "values": _schema(value, record, timestamps.in_collections, names, where)}
    if kind.name == "ROW":
        if record in names:
            raise InputError(f"{where}: two rows inside of it would both be called {record}: rename a field")
        names.add(record)
        fields = [_field(name, child, record, timestamps, names, where) for name, child in kind.children]
        return {"type": "record", "name": record, "fields": fields}
    raise InputError(f"{where}: Avro has no type for {kind.flink}: convert it with CAST")


def _timestamp(kind: DataType, timestamps: Timestamps, where: str) -> dict[str, str]:
    logical = timestamps.plain if kind.name == "TIMESTAMP" else timestamps.instant
    digits = _DEFAULT_DIGITS if kind.precision is None else kind.precision
    if logical is None:
        raise InputError(
            f"{where}: {kind.flink} in Avro needs '{timestamps.option}' = 'false', and in arrays and maps Flink has no "
            "such type"
        )
    if digits > timestamps.digits:
        raise InputError(
            f"{where}: {kind.flink} in Avro: use {kind.name}({timestamps.digits}), or, outside of arrays and maps, "
            f"'{timestamps.option}' = 'false'"
        )
    return {"type": "long", "logicalType": f"{logical}-{'millis' if digits <= LEGACY.digits else 'micros'}"}
