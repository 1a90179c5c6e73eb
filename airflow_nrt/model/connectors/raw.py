"""Format `raw`: a line or a record is the one value of its row, in Flink's encoding of it."""

from __future__ import annotations

from enum import Enum

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.options.known import SOURCE_OPTIONS
from airflow_nrt.model.tables import Column, Table

RAW = "raw"
SIZES = {"BOOLEAN": 1, "TINYINT": 1, "SMALLINT": 2, "INT": 4, "BIGINT": 8}
"""How many bytes have the values of these types."""


class Charset(Enum):
    """A value of 'raw.charset', in which a byte below 128 is a character of ASCII."""

    UTF_8 = "utf-8"
    ASCII = "us-ascii"
    LATIN_1 = "iso-8859-1"


def charset_of(part: Table) -> Charset:
    return Charset(SOURCE_OPTIONS["raw.charset"].of(part.options))


def is_little(part: Table) -> bool:
    """Whether the first byte of a number is the least."""
    return bool(SOURCE_OPTIONS["raw.endianness"].of(part.options) == "little-endian")


def is_text(kind: DataType) -> bool:
    """Whether any bytes are a value of the type."""
    return kind.is_string or kind.is_bytes


def check_record(part: Table) -> None:
    """Raises InputError for a key or a value that is not raw."""
    kind = _sole_type(part)
    if not is_text(kind) and kind.name not in SIZES:
        raise MissingError(
            f"table {part.name!r}: column {_stored(part)[0].name!r}: {kind.flink} in format 'raw'",
            f"use STRING, BYTES, {', '.join(SIZES)}",
        )


def check_file(table: Table) -> None:
    """Raises InputError for a table whose lines are not raw."""
    kind = _sole_type(table)
    if not is_text(kind):
        raise MissingError(
            f"table {table.name!r}: column {_stored(table)[0].name!r}: {kind.flink} in lines of format 'raw', where a "
            "byte of a number may be the end of a line",
            "use STRING or BYTES",
        )


def _sole_type(table: Table) -> DataType:
    stored = _stored(table)
    if len(stored) != 1:
        raise InputError(f"table {table.name!r}: format 'raw' is of one column, here are {len(stored)}")
    return stored[0].type


def _stored(table: Table) -> list[Column]:
    return [column for column in table.physical if column.name not in table.partition_keys]
