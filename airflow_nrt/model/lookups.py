"""Dimension tables, whose rows are looked up by rows of sources: the names by which a plan's SQL reads them.

A view of the session has the rows of a dimension, with these columns beside its own:

    _nrt_of_version   bigint   the number of the row in its version, from 0
    _nrt_from         bigint   the processing time (ms) from which on the version is valid
    _nrt_until        bigint   the one up to which it is, which is not in it
"""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.tables import Table

ROW_NUMBER, VALID_FROM, VALID_UNTIL = "_nrt_of_version", "_nrt_from", "_nrt_until"
MOST_ROWS = 2**18
"""The most rows of a dimension, which each task of a join holds in memory."""


def view_of(table: Table) -> str:
    """The name of the view with the rows of a dimension."""
    return f"_nrt_dimension_{table.name}"


def check_row_count(table: Table, rows: int) -> None:
    """Raises InputError if a table has too many rows to be looked up."""
    if rows > MOST_ROWS:
        raise InputError(
            f"table {table.name!r} has {rows:,} rows, and a table that is looked up may have {MOST_ROWS:,}: each task "
            "holds it in memory. Keep fewer rows in it, or join it without FOR SYSTEM_TIME AS OF"
        )
