"""Names of the directories of partitions, also for values that can't be a name.

A name has no NUL, and at most 255 bytes. Spark escapes some characters with three: `%2F`.
"""

from __future__ import annotations

import re

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sources.malformed import shortened
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.tables import Column, Table

_LONGEST = 255
_NUL = r"'\0'"
_WRITTEN_AS_THREE = r"""[\x01-\x1F\x7F"#%'*/:=?\\{\[\]^]"""
_FIRST_LETTERS = 20
_HASH = 32


def with_partition_names(rows: DataFrame, table: Table) -> DataFrame:
    """The rows with the partition columns as directories are named. A value that can't be a name is replaced by a hash
    if the table's option says so, and else ends the job."""
    named = {column.name: F.expr(named_by(table, column, quote(column.name))) for column in _of_texts(table)}
    return rows.withColumns(named) if named else rows


def with_read_names(rows: DataFrame, table: Table) -> DataFrame:
    """Rows of a result with the partition columns that a reader gets from the names of directories."""
    return with_partition_names(rows, table) if _hashes(table) else rows


def named_by(table: Table, column: Column, value: str) -> str:
    r"""SQL of the directory's name, from SQL of a partition's value in the table's format.

    >>> from airflow_nrt.basics.types import DataType
    >>> shop, hashed = Column("shop", DataType("STRING")), {"sink.unfit-partitions": "hash"}
    >>> shops = Table("shops", (shop,), "filesystem", partition_keys=("shop",), options=hashed)
    >>> print(named_by(shops, shop, "`shop`"))
    IF(octet_length(`shop`) > 83 AND (3 * octet_length(`shop`) - 2 * octet_length(regexp_replace(`shop`,
    '[\\x01-\\x1F\\x7F"#%\'*/:=?\\\\{\\[\\]^]', ''))) > 250 OR contains(`shop`, '\0'), concat(left(replace(`shop`, '\0',
    ''), 20), '~', md5(CAST(`shop` AS BINARY))), `shop`)
    """
    if column not in _of_texts(table):
        return value
    room = _LONGEST - len(_percent(column.name).encode()) - len("=")
    kept = f"regexp_replace({value}, {string_literal(_WRITTEN_AS_THREE)}, '')"
    length = f"(3 * octet_length({value}) - 2 * octet_length({kept}))"
    has_nul = f"contains({value}, {_NUL})"
    is_long = f"octet_length({value}) > {room // 3} AND {length} > {room}"
    letters = max(min(_FIRST_LETTERS, (room - _HASH - 1) // 4), 0)
    instead = f"concat(left(replace({value}, {_NUL}, ''), {letters}), '~', md5(CAST({value} AS BINARY)))"
    if not _hashes(table):
        shown = shortened(f"replace({value}, {_NUL}, {string_literal(chr(92) + '0')})")
        takes = f"concat('it takes ', {length}, ' bytes, and there is room for {room}')"
        words = (
            string_literal(
                f"{STOP_MARK}table {table.name}: no directory can be named by this value of {column.name}: '"
            ),
            shown,
            string_literal("': "),
            f"IF({has_nul}, 'it has a NUL', {takes})",
            string_literal(
                f". Shorten it in the query, for example by LEFT({column.name}, 50), or set 'sink.unfit-partitions' = "
                "'hash' to name such a directory by its first letters and a hash"
            ),
        )
        instead = f"raise_error(concat({', '.join(words)}))"
    return f"IF({is_long} OR {has_nul}, {instead}, {value})"


def _of_texts(table: Table) -> list[Column]:
    """The partition columns of texts, which have any length."""
    return [column for name in table.partition_keys if (column := table.column(name)).type.is_string]


def _hashes(table: Table) -> bool:
    return bool(sink_option(table.options, "sink.unfit-partitions") == "hash")


def _percent(name: str) -> str:
    return re.sub(_WRITTEN_AS_THREE, "%00", name)
