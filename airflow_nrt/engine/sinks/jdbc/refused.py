"""Which staged rows a database refuses: tried in transactions that are rolled back, fewer rows in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from airflow_nrt.engine.sinks.jdbc.commit import apply_rows
from airflow_nrt.engine.sinks.jdbc.database import Database, RefusedValueError
from airflow_nrt.engine.sinks.jdbc.tables import OP, ROW, STAGE, WINDOW, Tables
from airflow_nrt.model.plan import Insert

Texts = tuple[str | None, ...]
"""The window of a staged row, and its columns."""


class _TakenError(Exception):
    """The database has taken the rows. Raised to roll them back."""


def refused_rows(database: Database, insert: Insert, stage: str) -> list[tuple[Texts, str]]:
    """The staged rows that the database refuses, each with what it says.

    SELECT DISTINCT nrt_row FROM "curve_nrt_422ad9ba" WHERE nrt_stage = 'a1/curve/7' ORDER BY nrt_row
    SELECT nrt_op, nrt_window, "shop", "total" FROM "curve_nrt_422ad9ba" WHERE nrt_stage = 'a1/curve/7' AND nrt_row
      BETWEEN 0 AND 3
    SELECT nrt_window, "shop", "total" FROM "curve_nrt_422ad9ba" WHERE nrt_stage = 'a1/curve/7' AND nrt_row = 2
    """
    tables = Tables(database, insert)
    here = f"FROM {tables.staged} WHERE {STAGE} = {database.dialect.literal(stage)}"
    numbers = [int(row[0]) for row in database.rows(f"SELECT DISTINCT {ROW} {here} ORDER BY {ROW}")]
    found = []
    for number, said in _refused(tables, here, numbers):
        (row, *_) = database.rows(f"SELECT {', '.join([WINDOW, *tables.columns])} {here} AND {ROW} = {number}")
        found.append((row, said))
    return found


def _refused(tables: Tables, here: str, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The numbers of rows that are refused, among rows with these numbers in their order."""
    said = _tried(tables, f"{here} AND {ROW} BETWEEN {numbers[0]} AND {numbers[-1]}") if numbers else None
    if said is None:
        return
    if len(numbers) == 1:
        yield numbers[0], said
        return
    half = len(numbers) // 2
    yield from _refused(tables, here, numbers[:half])
    yield from _refused(tables, here, numbers[half:])


def _tried(tables: Tables, here: str) -> str | None:
    """What the database says about these staged rows, None if it takes them.

    Raises InputError for what is not the rows' fault.
    """
    try:
        with tables.database.transaction():
            apply_rows(tables, f"SELECT {', '.join([OP, WINDOW, *tables.columns])} {here}", 1, are_new=False)
            raise _TakenError
    except _TakenError:
        return None
    except RefusedValueError as refused:
        return str(refused)
