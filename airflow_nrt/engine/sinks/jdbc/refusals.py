"""Finds the staged rows that a table refuses, by writing them in a transaction that is undone."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.servers import RefusedError
from airflow_nrt.engine.sinks.jdbc.commit import Batch, apply, delete_windows, is_staged, staged_rows
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.engine.sinks.jdbc.tables import OP, ROW, Tables
from airflow_nrt.model.plan import Insert


def refusals(database: Database, insert: Insert, batch: Batch) -> dict[int, str]:
    """What the database says of each row that it refuses, by the row's number.

    SELECT MIN(nrt_row), MAX(nrt_row) FROM "curve_nrt_422ad9ba" WHERE nrt_stage = 'a1/curve/7' AND 1 = 1
    """
    tables = Tables(database, insert)
    with database.transaction():
        database.execute("SAVEPOINT nrt_before")
        staged = staged_rows(tables, batch.stage, batch.rows)
        delete_windows(tables, batch.whole(batch.files))
        search = _Search(tables, batch, staged.retractions)
        ((first, last),) = search.ask(f"SELECT MIN({ROW}), MAX({ROW})", "1 = 1")
        found = search.refused(int(first), int(last)) if first is not None else {}
        database.execute("ROLLBACK TO SAVEPOINT nrt_before")
    return found


@dataclass(frozen=True)
class _Search:
    """Halves ranges of rows until each is taken, or is one row. What is taken stays until the end, because rows may
    contradict each other."""

    tables: Tables
    batch: Batch
    retractions: int

    def refused(self, first: int, last: int) -> dict[int, str]:
        """Those of the rows with these numbers.

        SELECT DISTINCT nrt_row, nrt_op, "shop", "e", "total" FROM "curve_nrt_422ad9ba" WHERE nrt_stage = 'a1/curve/7'
          AND nrt_row BETWEEN 0 AND 7
        """
        database, between = self.tables.database, f"{ROW} BETWEEN {first} AND {last}"
        columns = ", ".join([OP, *self.tables.columns])
        place = f"FROM {self.tables.staged} WHERE {is_staged(self.tables, self.batch.stage)} AND {between}"
        database.execute("SAVEPOINT nrt_step")
        try:
            apply(self.tables, f"SELECT DISTINCT {ROW}, {columns} {place}", self.retractions, are_new=False)
            return {}
        except RefusedError:
            raise
        except InputError as said:
            database.execute("ROLLBACK TO SAVEPOINT nrt_step")
            ((count,),) = self.ask(f"SELECT COUNT(DISTINCT {ROW})", between)
            if int(count) == 1:
                return {first: str(said)}
        middle = f"SELECT DISTINCT {ROW}"
        ((half,),) = self.ask(middle, between, f" ORDER BY {ROW} LIMIT 1 OFFSET {int(count) // 2}")
        ((before,),) = self.ask(f"SELECT MAX({ROW})", f"{between} AND {ROW} < {half}")
        return {**self.refused(first, int(before)), **self.refused(int(half), last)}

    def ask(self, selected: str, condition: str, rest: str = "") -> list[tuple[str, ...]]:
        """Rows of a query over the staged rows.

        SELECT COUNT(DISTINCT nrt_row) FROM "curve_nrt_422ad9ba" WHERE nrt_stage = 'a1/curve/7' AND nrt_row BETWEEN 0
          AND 7
        """
        staged = is_staged(self.tables, self.batch.stage)
        return self.tables.database.rows(f"{selected} FROM {self.tables.staged} WHERE {staged} AND {condition}{rest}")
