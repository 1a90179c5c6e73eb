"""The archive of a source: a partitioned table of files with what a stream has read of a topic.

It has the stored columns of the source (physical ones and METADATA), the partition keys `ds`, or `ds` and `hh`, by
event time, and three columns more:

    _partition  STRING  the partition of the topic, as the log names it: `orders-0`
    _offset     BIGINT  the offset of the record
    _entry      BIGINT  the log entry that committed the batch of the row
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.partition_pattern import PartitionTime
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BIGINT, STRING, Field
from airflow_nrt.model.internal_columns import BATCH, POSITION, ROWTIME
from airflow_nrt.model.operators import Query
from airflow_nrt.model.plan import Archive, Insert, Source
from airflow_nrt.model.tables import Column, Table

PARTITION, OFFSET, ENTRY = "_partition", "_offset", "_entry"
_HIDDEN = {
    PARTITION: (STRING, f"substring_index({POSITION}.path, '@', 1)"),
    OFFSET: (BIGINT, f"{POSITION}.block + {POSITION}.row"),
    ENTRY: (BIGINT, BATCH),
}
_PLACES = {"ds": "yyyy-MM-dd", "hh": "HH"}
"""The partition keys, and how they are written."""


def with_archive(source: Source, table: Table, written: bool) -> Source:
    """The source with this archive, for which all of its stored columns are read.

    Raises InputError if the table can't be its archive.
    """
    _check_source(source)
    _check_table(source, table)
    stored = _stored(source.table)
    names = {*source.columns, *(column.name for column in stored)}
    columns = tuple(column.name for column in source.table.columns if column.name in names)
    return replace(source, columns=columns, archive=Archive(_insert(source, table, stored), written))


def as_archived(source: Source) -> Source:
    """The source as its archive has it: METADATA columns are physical there, and its own columns stand beside them."""
    return _with_own(source, tuple(_HIDDEN))


def as_filled_by_others(source: Source) -> Source:
    """The same of an archive that others fill: it has no partition, offset and entry."""
    return _with_own(source, ())


def _with_own(source: Source, hidden: tuple[str, ...]) -> Source:
    assert source.archive is not None
    archive = source.archive.insert.sink
    columns = tuple(_physical(one) if one.metadata is not None else one for one in source.table.columns)
    own = tuple(one for one in archive.columns if one.name in (*archive.partition_keys, *hidden))
    table = replace(archive, columns=(*columns, *own), watermark=source.table.watermark)
    return replace(source, table=table, columns=(*source.columns, *(one.name for one in own)))


def partition_time(archive: Archive) -> PartitionTime:
    """The time of a partition, on the clock of the windows."""
    return time_of_partitions(archive.insert.sink.partition_keys)


def time_of_partitions(keys: tuple[str, ...]) -> PartitionTime:
    """The same of archives with these partition keys."""
    return PartitionTime("$ds $hh:00:00" if "hh" in keys else "$ds", keys)


def _stored(table: Table) -> tuple[Column, ...]:
    return tuple(column for column in table.columns if not column.is_computed or column.metadata is not None)


def _physical(column: Column) -> Column:
    return Column(column.name, column.type)


def _check_source(source: Source) -> None:
    table = source.table
    where = f"table {table.name!r}: 'archive'"
    if table.watermark is None:
        raise InputError(f"{where}: the partitions of an archive are by event time: declare a WATERMARK")
    if table.is_changelog:
        raise MissingError(f"{where} of rows that change", "archive them by another tool, without this option")


def _check_table(source: Source, archive: Table) -> None:
    where = f"table {archive.name!r}, the archive of {source.name!r}"
    if archive.connector != "filesystem" or archive.format != "parquet":
        raise InputError(f"{where}: an archive has 'connector' = 'filesystem' and 'format' = 'parquet'")
    if archive.partition_keys not in (("ds",), ("ds", "hh")) or not all(
        archive.column(key).type.is_string for key in archive.partition_keys
    ):
        raise InputError(f"{where}: an archive is PARTITIONED BY (ds), or (ds, hh), which are STRING")
    taken = {*archive.partition_keys, *_HIDDEN}
    own = {column.name: column.type for column in archive.physical if column.name not in archive.partition_keys}
    for column in _stored(source.table):
        if column.name in taken:
            raise InputError(f"{where}: column {column.name!r} is one of its own: give that of the source another name")
        if column.name not in own:
            raise InputError(f"{where} lacks the column {column.name!r}: it has all columns of the source")
        there = own.pop(column.name)
        if there.with_nullable(True) != column.type.with_nullable(True):
            raise InputError(
                f"{where}: column {column.name!r} is {there.flink}, and {column.type.flink} in the source: "
                "declare them alike"
            )
    for name in own:
        raise InputError(f"{where} has a column {name!r}, which the source does not have: leave it out")


def _insert(source: Source, table: Table, stored: tuple[Column, ...]) -> Insert:
    """The insert by which a stream writes it."""
    items = [quote(column.name) for column in stored]
    items += [
        f"date_format(timestamp_millis({ROWTIME}), '{_PLACES[key]}') AS {quote(key)}" for key in table.partition_keys
    ]
    items += [f"{sql} AS {quote(name)}" for name, (_, sql) in _HIDDEN.items()]
    columns = tuple(map(_physical, stored))
    columns += tuple(Column(key, STRING) for key in table.partition_keys)
    columns += tuple(Column(name, kind) for name, (kind, _) in _HIDDEN.items())
    sink = replace(table, columns=columns, watermark=None, primary_key=())
    fields = tuple(Field(column.name, column.type) for column in columns)
    query = Query(f"SELECT {', '.join(items)} FROM {quote(source.name)}", (source.name,), fields)
    return Insert(table.name, sink, query, (), None, None)
