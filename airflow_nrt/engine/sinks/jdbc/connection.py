"""How a connection to a database begins: whose it is, and how long anything may keep it waiting."""

from __future__ import annotations

from airflow_nrt.basics.durations import SECOND
from airflow_nrt.engine.sinks.jdbc.dialects import dialect_of
from airflow_nrt.model.connectors.jdbc import (
    LOCK_TIMEOUT,
    PASSWORD,
    PATIENCE,
    STATEMENT_TIMEOUT,
    USER,
    jdbc_option,
)
from airflow_nrt.model.tables import Table

ROWS_A_SECOND = 5_000
"""So many rows a slow database writes, which still answers."""
_NETWORK_MS = 5 * SECOND
"""How much later than the database its client gives up, so that the database can say what it waited for."""


def properties(table: Table, rows: int = 0) -> dict[str, str]:
    """The properties of a connection on which a statement writes so many rows."""
    given = {"user": table.options.get(USER), "password": table.options.get(PASSWORD)}
    known = {name: text for name, text in given.items() if text is not None}
    patience = int(jdbc_option(table, PATIENCE))
    return known | dialect_of(table).waits(patience, _statement_ms(table, rows) + _NETWORK_MS)


def beginning(table: Table, rows: int = 0) -> str:
    """The statement that begins a connection on which others write so many rows."""
    return dialect_of(table).beginning(int(jdbc_option(table, LOCK_TIMEOUT)), _statement_ms(table, rows))


def beginning_of_reader(table: Table) -> str:
    """The statement that begins a connection whose rows are read as slowly as Spark needs them."""
    return dialect_of(table).beginning(int(jdbc_option(table, LOCK_TIMEOUT)), None)


def _statement_ms(table: Table, rows: int) -> int:
    return int(jdbc_option(table, STATEMENT_TIMEOUT)) + rows * SECOND // ROWS_A_SECOND
