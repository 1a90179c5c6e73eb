"""What the libraries of a lakehouse throw, in words for people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.engine.failures.root_cause import chain_of
from airflow_nrt.engine.spark.lakehouse.catalog_database import asked
from airflow_nrt.model.tables import Table

_MISFITS = ("NoSuchMethodError", "NoClassDefFoundError", "ClassNotFoundException", "AbstractMethodError")
_NOT_NULL = ("NOT_NULL_CONSTRAINT_VIOLATED", "NOT_NULL_ASSERT_VIOLATION", "DELTA_NOT_NULL")


@contextmanager
def explained(table: Table) -> Iterator[None]:
    """Raises failures in here that a user can mend as InputError."""
    try:
        with asked(table):
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
        null = next((one for one in chain if any(map(f"{one.condition} {one.message}".__contains__, _NOT_NULL))), None)
        if null is not None:
            raise InputError(f"table {table.name!r}: a NULL for a column that is NOT NULL: {null.message}") from failure
        raise
