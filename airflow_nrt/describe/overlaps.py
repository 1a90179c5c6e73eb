"""Checks that directories of sources, sinks and the home don't overlap: a report would read its own results.

Symbolic links are resolved. Nothing below a name that begins with `_` or `.` is read, so a source may contain a sink or
a home there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest_file
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.tables import Table

HIDDEN = ("_", ".")
"""Prefixes of the names that readers of a directory skip."""


def check_places(plan: Plan, home: str | Path | None = None) -> None:
    """Raises InputError if one of the sources, the sinks and the home (if one is given) contains another."""
    _check_own_results(plan)
    sources = [table for table in plan.tables_read if "path" in table.options]
    sinks = [insert.sink for insert in plan.written if "path" in insert.sink.options]
    for source, sink in product(sources, sinks):
        if _is_read(_real(source.path), _real(sink.path)):
            raise InputError(
                f"table {sink.name!r} writes to {_shown(sink)}, where table {source.name!r} reads ({_shown(source)}): "
                "the report would read its own results. Give one of them a directory of its own"
            )
        if _holds(_real(sink.path), _real(source.path)):
            raise InputError(
                f"table {source.name!r} reads {_shown(source)}, inside of what table {sink.name!r} writes "
                f"({_shown(sink)}): its readers would take the input for results. Give one of them a directory of its "
                "own"
            )
    for table in (*sources, *sinks) if home is not None else ():
        if _meet(table, Path(os.path.realpath(str(home).removeprefix("file://"))), reads=table in sources):
            raise InputError(
                f"table {table.name!r}: its directory {_shown(table)} and the home {home} must not contain each other: "
                "put the home elsewhere"
            )


def _check_own_results(plan: Plan) -> None:
    """Raises InputError for a table without a directory of files that is read and written, by whatever names."""
    tables = [source.table for source in plan.sources]
    tables += [one.history.table for one in tables if one.history is not None]
    for read, insert in product(tables, plan.inserts):
        written = insert.sink
        connector = connector_of(read)
        is_same = connector is connector_of(written) and connector.place(read) == connector.place(written)
        if is_same and "path" not in read.options:
            raise InputError(
                f"table {written.name!r} writes to {connector.place(written)}, where table {read.name!r} reads: the "
                "report would read its own results. Write to another one"
            )


def check_sources(plan: Plan) -> None:
    """Raises InputError for a source that does not exist."""
    tables = [source.table for source in plan.sources]
    for missing in _missing([*tables, *(one.history.table for one in tables if one.history is not None)]):
        raise InputError(f"{missing}: correct 'path', or make the directory")


def missing_tables(plan: Plan) -> Iterator[str]:
    """A message for each source and each dimension table that does not exist."""
    return _missing(plan.tables_read)


def _missing(tables: Iterable[Table]) -> Iterator[str]:
    for table in tables:
        if "path" in table.options and not _real(table.path).exists():
            real = _real(table.path)
            yield f"table {table.name!r}: there is no {_shown(table)}{nearest_file(real)}"


def _meet(table: Table, home: Path, reads: bool) -> bool:
    root = _real(table.path)
    return _holds(home, root) or (_is_read(root, home) if reads else _holds(root, home))


def _is_read(root: Path, inside: Path) -> bool:
    return _holds(root, inside) and not any(part.startswith(HIDDEN) for part in inside.relative_to(root).parts)


def _holds(outer: Path, inner: Path) -> bool:
    return outer == inner or outer in inner.parents


def _real(path: str) -> Path:
    return Path(os.path.realpath(path.removeprefix("file://")))


def _shown(table: Table) -> str:
    """The path of a table, and the resolved path if that is another."""
    given, real = Path(table.path.removeprefix("file://")).absolute(), _real(table.path)
    return str(given) if given == real else f"{given} (which is {real})"
