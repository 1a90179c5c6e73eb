"""One transaction that makes staged rows visible, and notes of which entry they are: exactly once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airflow_nrt.basics.errors import FencedError, SurroundingsError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.engine.sinks.jdbc.tables import OP, ROW, STAGE, WINDOW, Tables
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published, Restate
from airflow_nrt.model.plan import Insert

_AT_ONCE = 500
"""Windows that one statement names."""


@dataclass(frozen=True)
class Batch:
    """What an entry publishes into a table at once: so many `rows` of these `files`, which are staged under a name."""

    entry: Entry
    stage: str
    files: Sequence[Published]
    rows: int

    def whole(self, files: Sequence[Published]) -> list[int]:
        """The ends of the windows that these files replace. A restatement has whole windows, also where a stream
        publishes changes."""
        is_restated = isinstance(self.entry.body, Restate)
        return [one.end for one in files if one.end is not None and (is_restated or not one.is_delta)]


def merge(database: Database, home: Home, insert: Insert, batch: Batch) -> None:
    """Publishes staged rows, all or nothing. What a later entry has published stays.

    Raises FencedError if a driver of a newer epoch publishes there.
    """
    tables = Tables(database, insert)
    entry, files = batch.entry, batch.files
    with database.transaction():
        _lock(tables, home, entry)
        reach("jdbc-locked")
        newer = _newer(tables, home, entry, sorted({window(one) for one in files}))
        mine = [one for one in files if window(one) not in newer]
        if mine:
            staged = staged_rows(tables, batch.stage, batch.rows)
            rows = _of(tables, staged.rows, mine) if newer else staged.rows
            whole = batch.whole(mine)
            delete_windows(tables, whole)
            reach("jdbc-deleted")
            apply(tables, rows, staged.retractions, are_new=len(whole) == len(mine) and is_of_window(insert))
            note(tables, home, entry.n, sorted({window(one) for one in mine}))
        database.execute(f"DELETE FROM {tables.staged} WHERE {is_staged(tables, batch.stage)}")
        reach("jdbc-written")
    reach("jdbc-committed")


def remove(database: Database, home: Home, insert: Insert, entry: Entry, end: int) -> None:
    """Removes the rows of a window that ends there, unless this entry or a later one has published it."""
    tables = Tables(database, insert)
    with database.transaction():
        _lock(tables, home, entry)
        if not _newer(tables, home, entry, [str(end)]):
            database.execute(f"DELETE FROM {tables.table} WHERE {_of_windows(tables, [end])}")
            note(tables, home, entry.n, [str(end)])


def _lock(tables: Tables, home: Home, entry: Entry) -> None:
    """Waits for others who publish into the table, and refuses a driver that has a successor.

    SELECT epoch, home FROM "nrt_owners" WHERE name = 'public.curve' AND insert_name = 'curve' FOR UPDATE
    UPDATE "nrt_owners" SET epoch = 2 WHERE name = 'public.curve' AND insert_name = 'curve'
    """
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


def window(one: Published) -> str:
    """The name of a window in the table of windows, '' where there are none."""
    return "" if one.end is None else str(one.end)


def _newer(tables: Tables, home: Home, entry: Entry, windows: Sequence[str]) -> set[str]:
    """Those of these windows that this entry, or a later one, has published already.

    SELECT window_end FROM "nrt_windows" WHERE home = 'a1' AND insert_name = 'curve' AND entry >= 7 AND window_end
      IN ('1718705400000')
    """
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


def is_staged(tables: Tables, stage: str) -> str:
    return f"{STAGE} = {tables.database.dialect.literal(stage)}"


@dataclass(frozen=True)
class StagedRows:
    """A SELECT of the staged rows, each once, and how many of them retract a row."""

    rows: str
    retractions: int


def staged_rows(tables: Tables, stage: str, rows: int) -> StagedRows:
    """The rows that are staged under a name. So many must be there, whatever happened to the tasks that wrote them.

    SELECT COUNT(*), COUNT(DISTINCT nrt_row), COUNT(CASE WHEN nrt_op = '-D' THEN 1 END) FROM "curve_nrt_422ad9ba"
      WHERE nrt_stage = 'a1/curve/7'
    """
    columns, here = (
        ", ".join([OP, WINDOW, *tables.columns]),
        f"FROM {tables.staged} WHERE {is_staged(tables, stage)}",
    )
    counts = f"COUNT(*), COUNT(DISTINCT {ROW}), COUNT(CASE WHEN {OP} = '-D' THEN 1 END)"
    ((count, different, retractions),) = tables.database.rows(f"SELECT {counts} {here}")
    count, different, retractions = int(count), int(different), int(retractions)
    if different != rows:
        raise SurroundingsError(
            f"{rows} rows were staged for table {tables.name}, {different} are there: staging again"
        )
    if count == different:
        return StagedRows(f"SELECT {columns} {here}", retractions)
    # A task that failed has written rows that its next attempt has written, too. To number them takes a sort.
    numbered = f"SELECT {columns}, ROW_NUMBER() OVER (PARTITION BY {ROW} ORDER BY {ROW}) AS nrt_time {here}"
    return StagedRows(f"SELECT {columns} FROM ({numbered}) numbered WHERE nrt_time = 1", retractions)


def _of(tables: Tables, rows: str, files: Sequence[Published]) -> str:
    """Those of these rows that are of these files' windows.

    SELECT * FROM (SELECT …) known WHERE nrt_window IN ('1718705400000')
    """
    ends = ", ".join(tables.database.dialect.literal(window(one)) for one in files)
    return f"SELECT * FROM ({rows}) known WHERE {WINDOW} IN ({ends})"


def delete_windows(tables: Tables, ends: Sequence[int]) -> None:
    """Removes the rows of windows that end there.

    DELETE FROM "curve" WHERE "e" IN ('2024-06-18 10:10:00')
    """
    for n in range(0, len(ends), _AT_ONCE):
        tables.database.execute(f"DELETE FROM {tables.table} WHERE {_of_windows(tables, ends[n : n + _AT_ONCE])}")


def is_of_window(insert: Insert) -> bool:
    """Whether rows with the same key are of the same window."""
    return insert.end_column in insert.sink.primary_key


def apply(tables: Tables, rows: str, retractions: int, are_new: bool) -> None:
    """Writes the rows. They `are_new` if the table has none with their keys.

    DELETE FROM "curve" t USING (SELECT CAST("shop" AS integer) AS "shop", CAST("e" AS timestamp) AS "e" FROM
      (SELECT …) staged WHERE nrt_op = '-D') gone WHERE t."shop" = gone."shop" AND t."e" = gone."e"
    INSERT INTO "curve" ("shop", "e", "total") SELECT CAST("shop" AS integer), CAST("e" AS timestamp), CAST("total"
      AS integer) FROM (SELECT …) staged WHERE nrt_op IS NULL OR nrt_op <> '-D' ON CONFLICT ("shop", "e") DO UPDATE
      SET "total" = EXCLUDED."total"
    """
    database, insert = tables.database, tables.insert
    dialect = database.dialect
    kinds = database.columns(tables.name)
    names = [column.name for column in insert.sink.physical]
    values = [dialect.value(dialect.name(name), kinds[name]) for name in names]
    key = [dialect.name(name) for name in insert.sink.primary_key]
    selected = f"SELECT {', '.join(values)} FROM ({rows}) staged"
    added = f"{selected} WHERE {OP} IS NULL OR {OP} <> '-D'"
    if not key or are_new:
        # To look for rows with the same keys first takes PostgreSQL half as long again.
        database.execute(f"INSERT INTO {tables.table} ({', '.join(tables.columns)}) {added}")
        return
    if retractions:
        of_key = ", ".join(
            f"{dialect.compared(dialect.name(name), kinds[name])} AS {dialect.name(name)}"
            for name in insert.sink.primary_key
        )
        retracted = f"SELECT {of_key} FROM ({rows}) staged WHERE {OP} = '-D'"
        database.execute(dialect.delete(tables.table, retracted, key))
    database.execute(dialect.upsert(tables.table, tables.columns, added, key))


def _of_windows(tables: Tables, ends: Sequence[int]) -> str:
    dialect = tables.database.dialect
    assert tables.insert.end_column is not None
    named = ", ".join(dialect.literal(format_instant(end)) for end in ends)
    return f"{dialect.name(tables.insert.end_column)} IN ({named})"


def note(tables: Tables, home: Home, entry: int, windows: Sequence[str]) -> None:
    """Notes by which log entry windows were published.

    INSERT INTO "nrt_windows" (home, insert_name, window_end, entry) SELECT * FROM (SELECT 'a1', 'curve',
      '1718705400000', 7) published WHERE true ON CONFLICT (home, insert_name, window_end) DO UPDATE SET entry =
      EXCLUDED.entry
    """
    dialect = tables.database.dialect
    literal = dialect.literal
    who = f"{literal(home.identity().id)}, {literal(tables.insert.name)}"
    columns, key = ["home", "insert_name", "window_end", "entry"], ["home", "insert_name", "window_end"]
    for n in range(0, len(windows), _AT_ONCE):
        values = " UNION ALL ".join(f"SELECT {who}, {literal(one)}, {entry}" for one in windows[n : n + _AT_ONCE])
        # Without WHERE the parser of PostgreSQL would take ON CONFLICT for a join's condition.
        rows = f"SELECT * FROM ({values}) published WHERE true"
        tables.database.execute(dialect.upsert(tables.windows, columns, rows, key))
