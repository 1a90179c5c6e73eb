"""One transaction that gives a table the results of a generation, in place of those of the generation before.

Readers see one or the other, and wait for neither: their databases keep the old rows for them until it is committed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.sinks.jdbc.commit import (
    apply,
    delete_windows,
    is_of_window,
    is_staged,
    note,
    staged_rows,
    window,
)
from airflow_nrt.engine.sinks.jdbc.database import Database
from airflow_nrt.engine.sinks.jdbc.tables import Tables
from airflow_nrt.engine.sinks.sink import Takeover
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Insert


@dataclass(frozen=True)
class Staged:
    """So many `rows`, which are staged under a name."""

    stage: str
    rows: int


def take_over(database: Database, home: Home, insert: Insert, takeover: Takeover, staged: Staged | None) -> None:
    """Nothing is staged if the new generation has no rows. It changes nothing if the table is taken over already.

    SELECT home FROM "nrt_owners" WHERE name = 'public.curve' AND insert_name = 'curve' FOR UPDATE
    DELETE FROM "nrt_windows" WHERE home = 'a1' AND insert_name = 'curve'
    UPDATE "nrt_owners" SET home = 'b2', epoch = 0 WHERE name = 'public.curve' AND insert_name = 'curve'
    """
    tables, literal = Tables(database, insert), database.dialect.literal
    before, after = literal(takeover.former.identity().id), literal(home.identity().id)
    here = f"name = {literal(tables.place)} AND insert_name = {literal(insert.name)}"
    with database.transaction():
        found = database.rows(f"SELECT home FROM {tables.owners} WHERE {here} FOR UPDATE")
        if [literal(row[0]) for row in found] == [before]:
            delete_windows(tables, sorted({one.end for one in takeover.left if one.end is not None}))
            reach("takeover-removed")
            if staged is not None:
                found_rows = staged_rows(tables, staged.stage, staged.rows)
                apply(tables, found_rows.rows, found_rows.retractions, are_new=is_of_window(insert))
            by_entry = defaultdict(set)
            for entry, one in takeover.standing:
                by_entry[entry].add(window(one))
            for entry, windows in by_entry.items():
                note(tables, home, entry, sorted(windows))
            database.execute(
                f"DELETE FROM {tables.windows} WHERE home = {before} AND insert_name = {literal(insert.name)}"
            )
            database.execute(f"UPDATE {tables.owners} SET home = {after}, epoch = 0 WHERE {here}")
        if staged is not None:
            database.execute(f"DELETE FROM {tables.staged} WHERE {is_staged(tables, staged.stage)}")
        reach("takeover-written")
    reach("takeover-claimed")
