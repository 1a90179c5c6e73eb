"""Options of a source that name another table: its past, its archive, and the table of its rejected rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.model.archive import with_archive
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.connectors.kafka_options import HISTORY
from airflow_nrt.model.input.history import with_history
from airflow_nrt.model.input.rejected_rows import with_rejected_table
from airflow_nrt.model.options.known import ARCHIVE, ARCHIVE_WRITE, REJECTED_TABLE, read_option
from airflow_nrt.model.plan import Insert, Source
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.errors import Place, SqlError

Tables = Mapping[str, Table]
Places = Mapping[str, Place]


def with_source_tables(
    sources: Sequence[Source], tables: Tables, declared: Places, inserts: Sequence[Insert]
) -> tuple[Source, ...]:
    """The sources, each with the tables that its options name. `declared` are the places of the tables.

    Raises SqlError for a table that can't be what its option says.
    """
    sources = [_with_history(source, tables, declared) for source in sources]
    taken = {insert.sink.name: "an INSERT writes into it, too" for insert in inserts}
    taken |= {source.name: "the report reads it, too" for source in sources}
    archived = []
    for source in sources:
        table = _named(source, ARCHIVE, tables, declared, taken, "the archive")
        if table is not None:
            taken[table.name] = f"it is the archive of {source.name!r}"
            source = _checked(source, table, declared, _archive)
        archived.append(source)
    found = []
    for source in archived:
        # Several sources may have one table of rejected rows.
        table = _named(source, REJECTED_TABLE, tables, declared, taken, "the table of rejected rows")
        found.append(source if table is None else _checked(source, table, declared, with_rejected_table))
    return tuple(found)


def _with_history(source: Source, tables: Tables, declared: Places) -> Source:
    table = _named(source, HISTORY, tables, declared, {source.name: "it is the topic itself"}, "the past")
    if table is None:
        return source
    try:
        connector_of(table).check_source(table)
        return with_history(source, table)
    except InputError as wrong:
        raise SqlError(str(wrong), declared[source.name]) from None


def _archive(source: Source, table: Table) -> Source:
    written = read_option(source.table.options, connector_of(source.table).options, ARCHIVE_WRITE)
    return with_archive(source, table, written)


def _named(
    source: Source, option: str, tables: Tables, declared: Places, taken: Mapping[str, str], role: str
) -> Table | None:
    """The table that an option names, None if it is not set."""
    name = source.table.options.get(option)
    if name is None:
        return None
    at = declared[source.name]
    if name not in tables:
        raise SqlError(f"table {source.name!r}: there is no table {name!r} for '{option}'{nearest(name, tables)}", at)
    if name in taken:
        raise SqlError(f"table {name!r} can't be {role} of {source.name!r}: {taken[name]}", at)
    return tables[name]


def _checked(source: Source, table: Table, declared: Places, make: Callable[[Source, Table], Source]) -> Source:
    try:
        connector_of(table).check_sink(table)
        return make(source, table)
    except InputError as wrong:
        raise SqlError(str(wrong), declared[source.name]) from None
