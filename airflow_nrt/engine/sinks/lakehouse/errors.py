"""What the libraries of a lakehouse throw, in words for people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.failures.thrown import chain_of
from airflow_nrt.model.tables import Table

_MISFITS = ("NoSuchMethodError", "NoClassDefFoundError", "ClassNotFoundException", "AbstractMethodError")
_NOT_NULL = ("NOT_NULL_CONSTRAINT_VIOLATED", "NOT_NULL_ASSERT_VIOLATION", "DELTA_NOT_NULL")

_AWAY = ("refused", "connection attempt failed", "I/O error", "terminating connection", "closed", "system is")
"""Words of PostgreSQL, and of its driver, where a server has ended, is starting, or can't be reached."""


@contextmanager
def explained(table: Table) -> Iterator[None]:
    """Raises failures in here that a user can mend as InputError."""
    try:
        yield
    except NrtError:
        raise
    except Exception as failure:
        chain = chain_of(failure)
        misfit = next((one for one in chain if one.kind.endswith(_MISFITS)), None)
        if misfit is not None:
            kind, name = misfit.kind.rpartition(".")[2], table.connector
            raise InputError(
                f"table {table.name!r}: the jars of {name} in this session don't fit its Spark ({kind}: "
                f"{misfit.message}): `airflow-nrt prepare {name}` fetches fitting ones; take others out of 'spark.jars'"
            ) from failure
        catalog = next((one for one in chain if one.kind.endswith("PSQLException")), None)
        if catalog is not None:
            raise _of_catalog(table, catalog.message) from failure
        null = next((one for one in chain if any(map(f"{one.condition} {one.message}".__contains__, _NOT_NULL))), None)
        if null is not None:
            raise InputError(f"table {table.name!r}: a NULL for a column that is NOT NULL: {null.message}") from failure
        raise


def _of_catalog(table: Table, said: str) -> NrtError:
    """The error that a message of the database of a catalog means."""
    where, said = f"table {table.name!r}: the database of its catalog", said.strip().replace("\n", " ")
    if any(words in said for words in _AWAY):
        return UnreachableError(f"{where} does not answer: start it, or correct 'uri' ({said})")
    return InputError(f"{where} said: {said}. Correct 'uri', 'jdbc.user' or 'jdbc.password'")
