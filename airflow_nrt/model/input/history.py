"""The past of a topic: another table, which is read first.

    rowtime   ───── the table of the past ─────│───── the topic ─────▶
                                             until

If a home writes that table as the archive of the topic, offsets say where the topic goes on. Any other table counts up
to an event time, and the topic from there on.
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.instants import names_instant, parse_instant
from airflow_nrt.model.connectors.kafka_options import ARCHIVED, EARLIEST, HISTORY, HISTORY_UNTIL, STARTUP, STARTUP_HOME
from airflow_nrt.model.options.known import ARCHIVE
from airflow_nrt.model.plan import Source
from airflow_nrt.model.tables import Column, History, Table
from airflow_nrt.model.zones import first_instant

_FITTING = ("filesystem", "delta", "iceberg")


def with_history(source: Source, table: Table) -> Source:
    """The source with this table as its past. Raises InputError if the table can't be that."""
    _check(source, table)
    until = source.table.options.get(HISTORY_UNTIL)
    if until is None:
        _check_archive(source, table)
        begins = {STARTUP: ARCHIVED, STARTUP_HOME: table.path}
        return replace(source, table=replace(source.table, options={**source.table.options, **begins}))
    _check_rows(source, table)
    at = parse_instant(until)
    end = at if names_instant(until) else first_instant(at, source.zone)
    return replace(source, table=replace(source.table, history=History(table, end, source.zone)))


def as_history(source: Source) -> Source:
    """The source as the table of its past has it: METADATA columns are physical there."""
    history = source.table.history
    assert history is not None
    table = replace(history.table, columns=history.table.physical, watermark=None, primary_key=())
    return Source(table, tuple(column.name for column in _stored(source)), identified=source.identified)


def _stored(source: Source) -> tuple[Column, ...]:
    """What the plan reads of a record."""
    read = {*source.columns, *(source.table.watermark.reads if source.table.watermark else ()), *source.physical}
    stored = (one for one in source.table.columns if not one.is_computed or one.metadata is not None)
    return tuple(Column(one.name, one.type) for one in stored if one.name in read)


def _check(source: Source, table: Table) -> None:
    where = f"table {source.name!r}: '{HISTORY}'"
    if source.table.is_changelog or table.is_changelog:
        raise MissingError(f"{where} of rows that change", "begin with the topic")
    if table.connector not in _FITTING:
        raise InputError(
            f"{where}: {table.name!r} is of connector '{table.connector}': the past of a topic is in a table of "
            f"connector {', '.join(map(repr, _FITTING))}"
        )
    if source.table.options.get(STARTUP, "").lower() == ARCHIVED:
        raise InputError(f"{where} and '{STARTUP}' = '{ARCHIVED}' are two pasts: leave one of them out")


def _check_archive(source: Source, table: Table) -> None:
    where = f"table {source.name!r}: '{HISTORY}'"
    if table.connector != "filesystem":
        raise InputError(f"{where}: no home archives into a table of {table.connector}: set '{HISTORY_UNTIL}', too")
    if source.table.options.get(STARTUP, EARLIEST).lower() != EARLIEST:
        raise InputError(
            f"{where}: the archive says where the topic goes on: leave '{STARTUP}' out, or set '{HISTORY_UNTIL}'"
        )


def _check_rows(source: Source, table: Table) -> None:
    where = f"table {source.name!r}: '{HISTORY}'"
    if source.table.watermark is None:
        raise InputError(f"{where}: event time says where the past ends: declare a WATERMARK")
    if ARCHIVE in source.table.options:
        raise MissingError(f"{where} of a topic with '{ARCHIVE}'", f"leave '{ARCHIVE}' out")
    there = {column.name: column.type.with_nullable(True) for column in table.physical}
    for column in _stored(source):
        kind = column.type.with_nullable(True)
        if column.name not in there:
            raise InputError(f"{where}: table {table.name!r} lacks the column {column.name!r}, which the report reads")
        if there[column.name] != kind:
            raise InputError(
                f"{where}: column {column.name!r} is {there[column.name].flink} in table {table.name!r}, and "
                f"{kind.flink} in the topic: declare them alike"
            )
