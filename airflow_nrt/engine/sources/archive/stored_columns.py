"""The columns of an archive, and how those of the topic's reader follow from them."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sources.ranges import OFFSET, PART
from airflow_nrt.home.outline import ArchiveOutline
from airflow_nrt.model.connectors.kafka import HEADERS, KIND, PARTITION, TIMESTAMP
from airflow_nrt.model.tables import Table

_OF_PLACE = {
    "topic": (f"regexp_extract({PART}, '^(.*)-[0-9]+$', 1)", "_nrt_topic"),
    "partition": (f"CAST(regexp_extract({PART}, '([0-9]+)$', 1) AS INT)", PARTITION),
    "offset": (OFFSET, OFFSET),
}
"""METADATA that follow from the place of a record: SQL, and the column of the reader."""
_OF_COLUMN = {
    "timestamp": ("{}", TIMESTAMP),
    "timestamp-type": (
        "CAST(array_position(array('NoTimestampType', 'CreateTime', 'LogAppendTime'), {}) AS INT) - 2",
        KIND,
    ),
    "headers": ("map_entries({})", HEADERS),
}
"""METADATA that follow from the column of the archive with the same key."""
_OF_ANY_TABLE = {
    "topic": ("{}", "_nrt_topic"),
    "partition": ("CAST({} AS INT)", PARTITION),
    "offset": ("CAST({} AS BIGINT)", OFFSET),
    **_OF_COLUMN,
}
"""METADATA in a table without places of records, each in a column."""


def check_columns(table: Table, archive: ArchiveOutline) -> None:
    """Raises InputError if the archive lacks a column of the table, or has it with another type."""
    where = f"table {table.name!r}: the archive {archive.name!r} in {archive.directory}"
    physical = {one.name: one.type for one in archive.columns if one.metadata is None}
    stored = columns_by_key(archive)
    for column in table.columns:
        if column.metadata is not None and column.metadata not in {*_OF_PLACE, *stored}:
            raise InputError(
                f"{where} has no METADATA {column.metadata!r}, of which column {column.name!r} is: leave it out"
            )
    for column in table.physical:
        kind = column.type.with_nullable(True).flink
        if column.name not in physical:
            raise InputError(f"{where} has no column {column.name!r}: leave it out, or begin with the topic")
        if physical[column.name] != kind:
            raise InputError(
                f"{where} has the column {column.name!r} as {physical[column.name]}, and it is {kind} here: declare it "
                "alike"
            )


def columns_by_key(archive: ArchiveOutline) -> dict[str, str]:
    """By METADATA key the column that has it."""
    return {one.metadata: one.name for one in archive.columns if one.metadata is not None}


def reader_columns(keys: set[str], stored: Mapping[str, str]) -> list[str]:
    r"""SQL of the reader's columns from which these METADATA are computed; `stored` are columns of the archive.

    >>> print(*reader_columns({"topic", "timestamp"}, {"timestamp": "at"}), sep="\n")
    regexp_extract(_nrt_part, '^(.*)-[0-9]+$', 1) AS _nrt_topic
    `at` AS _nrt_timestamp
    """
    places = (f"{sql} AS {name}" for key, (sql, name) in _OF_PLACE.items() if key in keys)
    columns = (f"{sql.format(quote(stored[key]))} AS {name}" for key, (sql, name) in _OF_COLUMN.items() if key in keys)
    return [*places, *columns]


def metadata_columns(stored: Mapping[str, str]) -> list[str]:
    r"""SQL of the reader's columns from which METADATA are computed; `stored` are the columns that have them, by key.

    >>> print(*metadata_columns({"partition": "p", "timestamp": "at"}), sep="\n")
    CAST(`p` AS INT) AS _nrt_partition
    `at` AS _nrt_timestamp
    """
    known = ((key, *of) for key, of in _OF_ANY_TABLE.items() if key in stored)
    return [f"{sql.format(quote(stored[key]))} AS {name}" for key, sql, name in known]
