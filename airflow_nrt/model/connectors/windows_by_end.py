"""Results of windows in a table whose rows are found again by the end of their window."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.model.tables import Table
from airflow_nrt.model.windows import Window


def check_windows_by_end(table: Table, window: Window, end_column: str | None, kind: str) -> None:
    """Windows must be found again in the table, because a newer version of one replaces its rows.

    Raises InputError if they can't be. `kind` names such tables for people.
    """
    if not window.ends_on_grid:
        raise MissingError(f"table {table.name!r}: results of {window} in {kind}", "write them into files")
    if end_column is None:
        raise InputError(
            f"table {table.name!r}: a newer version of a window replaces its rows, so the table needs a column "
            "with their window_end: SELECT it"
        )
    if table.primary_key and end_column not in table.primary_key:
        raise InputError(
            f"table {table.name!r}: each window has rows of its own, so the PRIMARY KEY needs the column of "
            f"window_end: PRIMARY KEY ({', '.join((*table.primary_key, end_column))}) NOT ENFORCED"
        )
