"""What the database of a catalog of Iceberg says when it refuses, or does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.failures.servers import RefusedError, UnreachableError
from airflow_nrt.model.tables import Table

_AWAY = (
    "refused",
    "connection attempt failed",
    "I/O error",
    "terminating connection",
    "closed",
    "system is",
    "canceling statement",
    "too many c",
)
"""Words of PostgreSQL, and of its driver, where a server has ended, is starting, can't be reached, or does not answer
in time."""
_REFUSED = ("authentication failed", "permission denied", "no pg_hba.conf entry", "is not permitted to log in")


@contextmanager
def asked(table: Table) -> Iterator[None]:
    """Raises what the database of the table's catalog throws in here as UnreachableError, or as InputError."""
    try:
        yield
    except Exception as failure:
        thrown = next((one for one in chain_of(failure) if one.kind.endswith("PSQLException")), None)
        if thrown is None:
            raise
        said = thrown.message.strip().replace("\n", " ")
        where = f"table {table.name!r}: the database of its catalog"
        if any(words in said for words in _AWAY):
            raise UnreachableError(f"{where} does not answer: start it, or correct 'uri' ({said})") from failure
        if any(words in said for words in _REFUSED):
            raise RefusedError(f"{where} refuses it: {said}. Correct 'jdbc.user' and 'jdbc.password'") from failure
        raise InputError(f"{where} said: {said}. Correct 'uri', 'jdbc.user' or 'jdbc.password'") from failure
