"""The option 'archive' of a source, which names the table of its archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.archive import with_archive
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.known import ARCHIVE, ARCHIVE_WRITE, nearest, read_option
from airflow_nrt.model.plan import Insert, Source
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.errors import Place, SqlError


def with_archives(
    sources: Sequence[Source], tables: Mapping[str, Table], declared: Mapping[str, Place], inserts: Sequence[Insert]
) -> tuple[Source, ...]:
    """The sources, each with its archive if its options name one. `declared` are the places of the tables.

    Raises SqlError for a table that can't be an archive.
    """
    found = []
    taken = {insert.sink.name: "an INSERT writes into it, too" for insert in inserts}
    taken |= {source.name: "the report reads it, too" for source in sources}
    for source in sources:
        name = source.table.options.get(ARCHIVE)
        if name is None:
            found.append(source)
            continue
        at = declared[source.name]
        if name not in tables:
            raise SqlError(
                f"table {source.name!r}: there is no table {name!r} to archive into{nearest(name, tables)}", at
            )
        if name in taken:
            raise SqlError(f"table {name!r} can't be the archive of {source.name!r}: {taken[name]}", at)
        taken[name] = f"it is the archive of {source.name!r}"
        written = read_option(source.table.options, connector_of(source.table).options, ARCHIVE_WRITE)
        try:
            connector_of(tables[name]).check_sink(tables[name])
            found.append(with_archive(source, tables[name], written))
        except InputError as wrong:
            raise SqlError(str(wrong), at) from None
    return tuple(found)
