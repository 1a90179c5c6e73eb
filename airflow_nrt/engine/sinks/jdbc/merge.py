"""One transaction that makes staged rows visible, and notes of which entry they are: exactly once."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.errors import FencedError, SurroundingsError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.engine.sinks.jdbc.tables import OP, ROW, STAGE, WINDOW, Tables
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published, Restate
from airflow_nrt.model.plan import Insert

_AT_ONCE = 500
"""Windows that one statement names."""


def merge(database: Database, home: Home, insert: Insert, entry: Entry, stage: str, files: Sequence[Published]) -> None:
    """Publishes the staged rows of these files, all or nothing. What a later entry has published stays.

    Raises FencedError if a driver of a newer epoch publishes there.
    """
    tables = Tables(database, insert)
    with database.transaction():
        _lock(tables, home, entry)
        newer = _newer(tables, home, entry, sorted({_window(one) for one in files}))
        mine = [one for one in files if _window(one) not in newer]
        if mine:
            _check_complete(tables, stage, files)
            rows = _rows(tables, stage, mine if newer else None)
            _apply(tables, rows, mine, restated=isinstance(entry.body, Restate))
            _note(tables, home, entry, sorted({_window(one) for one in mine}))
        database.execute(f"DELETE FROM {tables.staged} WHERE {_is_staged(tables, stage)}")


def remove(database: Database, home: Home, insert: Insert, entry: Entry, end: int) -> None:
    """Removes the rows of a window that ends there, unless this entry or a later one has published it."""
    tables = Tables(database, insert)
    with database.transaction():
        _lock(tables, home, entry)
        if not _newer(tables, home, entry, [str(end)]):
            database.execute(f"DELETE FROM {tables.table} WHERE {_of_windows(tables, [end])}")
            _note(tables, home, entry, [str(end)])


def _lock(tables: Tables, home: Home, entry: Entry) -> None:
    """Waits for others who publish into the table, and refuses a driver that has a successor."""
    literal = tables.database.dialect.literal
    here = f"name = {literal(tables.place)} AND insert_name = {literal(tables.insert.name)}"
    found = tables.database.rows(f"SELECT epoch, home FROM {tables.owners} WHERE {here} FOR UPDATE")
    if not found or found[0][1] != home.identity().id:
        raise FencedError(f"another home publishes to table {tables.name} of the database by now")
    last = int(found[0][0])
    if entry.epoch is None:
        return
    if entry.epoch < last:
        raise FencedError(
            f"a driver of epoch {last} publishes to table {tables.name}: this one has epoch {entry.epoch}"
        )
    if entry.epoch > last:
        tables.database.execute(f"UPDATE {tables.owners} SET epoch = {entry.epoch} WHERE {here}")


def _window(one: Published) -> str:
    """The name of a window in the table of windows, '' where there are none."""
    return "" if one.end is None else str(one.end)


def _newer(tables: Tables, home: Home, entry: Entry, windows: Sequence[str]) -> set[str]:
    """Those of these windows that this entry, or a later one, has published already."""
    literal = tables.database.dialect.literal
    found: set[str] = set()
    for n in range(0, len(windows), _AT_ONCE):
        named = ", ".join(map(literal, windows[n : n + _AT_ONCE]))
        found |= {
            row[0]
            for row in tables.database.rows(
                f"SELECT window_end FROM {tables.windows} WHERE {_mine(tables, home)} AND entry >= {entry.n} AND "
                f"window_end IN ({named})"
            )
        }
    return found


def _mine(tables: Tables, home: Home) -> str:
    literal = tables.database.dialect.literal
    return f"home = {literal(home.identity().id)} AND insert_name = {literal(tables.insert.name)}"


def _is_staged(tables: Tables, stage: str) -> str:
    return f"{STAGE} = {tables.database.dialect.literal(stage)}"


def _check_complete(tables: Tables, stage: str, files: Sequence[Published]) -> None:
    """All rows must be there, whatever happened to the tasks that wrote them."""
    ((count,),) = tables.database.rows(
        f"SELECT COUNT(DISTINCT {ROW}) FROM {tables.staged} WHERE {_is_staged(tables, stage)}"
    )
    expected = sum(one.rows for one in files)
    if int(count) != expected:
        raise SurroundingsError(
            f"{expected} rows were staged for table {tables.name}, {count} are there: staging again"
        )


def _rows(tables: Tables, stage: str, only: Sequence[Published] | None) -> str:
    """A SELECT of the staged rows, each once, though a task may have written them twice."""
    dialect = tables.database.dialect
    columns = ", ".join([OP, WINDOW, *tables.columns])
    numbered = (
        f"SELECT {columns}, ROW_NUMBER() OVER (PARTITION BY {ROW} ORDER BY {ROW}) AS nrt_time FROM {tables.staged} "
        f"WHERE {_is_staged(tables, stage)}"
    )
    once = f"SELECT {columns} FROM ({numbered}) numbered WHERE nrt_time = 1"
    if only is None:
        return once
    ends = ", ".join(dialect.literal(_window(one)) for one in only)
    return f"SELECT * FROM ({once}) known WHERE {WINDOW} IN ({ends})"


def _apply(tables: Tables, rows: str, files: Sequence[Published], restated: bool) -> None:
    """Whole windows replace their rows. A restatement has whole windows, also where a stream publishes changes."""
    database, insert = tables.database, tables.insert
    dialect = database.dialect
    kinds = database.columns(tables.name)
    names = [column.name for column in insert.sink.physical]
    values = [dialect.value(dialect.name(name), kinds[name]) for name in names]
    key = [dialect.name(name) for name in insert.sink.primary_key]
    selected = f"SELECT {', '.join(values)} FROM ({rows}) staged"
    whole = [one.end for one in files if one.end is not None and (restated or not one.told)]
    for n in range(0, len(whole), _AT_ONCE):
        database.execute(f"DELETE FROM {tables.table} WHERE {_of_windows(tables, whole[n : n + _AT_ONCE])}")
    if not key:
        database.execute(f"INSERT INTO {tables.table} ({', '.join(tables.columns)}) {selected}")
        return
    of_key = ", ".join(
        f"{dialect.compared(dialect.name(name), kinds[name])} AS {dialect.name(name)}"
        for name in insert.sink.primary_key
    )
    database.execute(dialect.delete(tables.table, f"SELECT {of_key} FROM ({rows}) staged WHERE {OP} = '-D'", key))
    added = f"{selected} WHERE {OP} IS NULL OR {OP} <> '-D'"
    database.execute(dialect.upsert(tables.table, tables.columns, added, key))


def _of_windows(tables: Tables, ends: Sequence[int]) -> str:
    dialect = tables.database.dialect
    assert tables.insert.end_column is not None
    named = ", ".join(dialect.literal(format_instant(end)) for end in ends)
    return f"{dialect.name(tables.insert.end_column)} IN ({named})"


def _note(tables: Tables, home: Home, entry: Entry, windows: Sequence[str]) -> None:
    dialect = tables.database.dialect
    literal = dialect.literal
    who = f"{literal(home.identity().id)}, {literal(tables.insert.name)}"
    columns, key = ["home", "insert_name", "window_end", "entry"], ["home", "insert_name", "window_end"]
    for n in range(0, len(windows), _AT_ONCE):
        values = " UNION ALL ".join(f"SELECT {who}, {literal(one)}, {entry.n}" for one in windows[n : n + _AT_ONCE])
        # Without WHERE the parser of PostgreSQL would take ON CONFLICT for a join's condition.
        rows = f"SELECT * FROM ({values}) published WHERE true"
        tables.database.execute(dialect.upsert(tables.windows, columns, rows, key))
