"""One connection to a database, by the JDBC driver in the Java of the session, and what its errors mean."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from py4j.java_gateway import JavaPackage, is_instance_of  # type: ignore[import-untyped]
from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.engine.failures.servers import LockedError, RefusedError, UnreachableError
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sinks.jdbc.connection import beginning, properties
from airflow_nrt.engine.sinks.jdbc.dialect import Dialect
from airflow_nrt.engine.sinks.jdbc.dialects import dialect_of
from airflow_nrt.model.connectors.jdbc import LOCK_TIMEOUT, PASSWORD, STATEMENT_TIMEOUT, URL, USER
from airflow_nrt.model.shapes.url import shown_url
from airflow_nrt.model.tables import Table

ATTEMPTS = 10
"""How often a transaction that lost against another one is tried."""
_AGAIN = ("40001", "40P01", "42P07")
"""SQLSTATE of serialization failures and deadlocks, and of a table that another process has just made."""
_AGAIN_BY_WORDS = ("already exists",)
_DUPLICATE_OF_POSTGRESQL = "23505"
_DUPLICATES_OF_RACES = ('"pg_type_typname_nsp_index"', '"nrt_owners_pkey"')
"""Indexes in which two processes that make the same thing meet."""
_LOCKED, _LOCKED_BY_WORDS = "55P03", "Lock wait timeout"
_GRANTS = (
    "A sink needs SELECT, INSERT, UPDATE and DELETE on its table, nrt_owners and nrt_windows, and CREATE in their "
    "schema; a table that is looked up needs SELECT"
)
_SLOW = ("57014", "70100")
"""SQLSTATE of statements that took too long, or that somebody has ended."""
_GONE = ("08", "53", "57", "58", "25006", "25P03", "25P04")
"""What SQLSTATE begins with where the server is away, ends, can't be written, or has no more connections or room."""
_GONE_BY_WORDS = ("read-only", "already has more than", "is full", "Disk full")
_SEQUENCES = {"serial": "int4", "bigserial": "int8", "smallserial": "int2"}

Result = TypeVar("Result")


class LostRaceError(UnreachableError):
    """A transaction was ended by the database, because of another one. It is tried again."""


class Database:
    """A connection to the database of a table, on which a statement may write so many rows.

    Its methods raise InputError, UnreachableError and LostRaceError.
    """

    def __init__(self, spark: SparkSession, table: Table, rows: int = 0) -> None:
        self.dialect: Dialect = dialect_of(table)
        self._spark = spark
        self._table = table
        jvm: Any = spark._jvm
        driver = java_class(jvm, self.dialect.driver)
        if isinstance(driver, JavaPackage):
            raise InputError(
                f"table {table.name!r}: {self.dialect.driver} is not in this session of Spark: `airflow-nrt prepare "
                "postgresql mariadb` fetches the drivers before it starts"
            )
        given = java_class(jvm, "java.util.Properties")()
        for name, text in properties(table, rows).items():
            given.setProperty(name, text)
        with self._explained():
            self._connection: Any = driver().connect(self.dialect.url(table), given)
        self.execute(beginning(table, rows))

    def close(self) -> None:
        with self._explained():
            self._connection.close()

    def execute(self, sql: str) -> int:
        """Runs a statement; gives the number of rows that it changed."""
        with self._explained():
            statement = self._connection.createStatement()
            try:
                return int(statement.executeUpdate(sql))
            finally:
                statement.close()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query with few of them, as texts."""
        with self._explained():
            statement = self._connection.createStatement()
            try:
                result = statement.executeQuery(sql)
                count = result.getMetaData().getColumnCount()
                found = []
                while result.next():
                    found.append(tuple(result.getString(n + 1) for n in range(count)))
                return found
            finally:
                statement.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits what is done in it; rolls back where that fails."""
        with self._explained():
            self._connection.setAutoCommit(False)
        try:
            yield
            with self._explained():
                self._connection.commit()
        except BaseException:
            self._roll_back()
            raise
        with self._explained():
            self._connection.setAutoCommit(True)

    @property
    def schema(self) -> str:
        """In which tables are found that are named without one."""
        with self._explained():
            is_mariadb = "mariadb" in self.dialect.driver
            return str(self._connection.getCatalog() if is_mariadb else self._connection.getSchema())

    def columns(self, name: str) -> dict[str, str]:
        """The types of a table's columns by name, in the database's words; empty if there is no such table."""
        with self._explained():
            schema, _, table = name.rpartition(".")
            meta = self._connection.getMetaData()
            catalog, owner = (None, schema or self._connection.getSchema())
            if "mariadb" in self.dialect.driver:
                catalog, owner = schema or self._connection.getCatalog(), None
            escape = str(meta.getSearchStringEscape())
            pattern = re.sub("[_%]", lambda found: escape + found[0], table)
            result = meta.getColumns(catalog, owner, pattern, None)
            found = {}
            while result.next():
                kind = str(result.getString("TYPE_NAME")).lower()
                # PostgreSQL's driver calls a column with a sequence so.
                found[str(result.getString("COLUMN_NAME"))] = _SEQUENCES.get(kind, kind)
            return found

    def unique_keys(self, name: str) -> list[frozenset[str]]:
        """The sets of columns that a table's primary key and unique indexes are of."""
        with self._explained():
            schema, _, table = name.rpartition(".")
            meta = self._connection.getMetaData()
            is_mariadb = "mariadb" in self.dialect.driver
            catalog = (schema or self._connection.getCatalog()) if is_mariadb else None
            owner = None if is_mariadb else schema or self._connection.getSchema()
            result = meta.getIndexInfo(catalog, owner, table, True, True)
            keys: dict[str, set[str]] = {}
            while result.next():
                if result.getString("COLUMN_NAME") is not None:
                    keys.setdefault(result.getString("INDEX_NAME"), set()).add(result.getString("COLUMN_NAME"))
            return [frozenset(columns) for columns in keys.values()]

    def _roll_back(self) -> None:
        try:
            self._connection.rollback()
            self._connection.setAutoCommit(True)
        except Py4JJavaError:
            # The connection is gone, and its transaction with it.
            return

    def _explained(self) -> AbstractContextManager[None]:
        return explained(self._spark, self._table)


@contextmanager
def explained(spark: SparkSession, table: Table) -> Iterator[None]:
    """Raises what the driver of JDBC throws in here, also in tasks of Spark, as errors for people."""
    try:
        yield
    except NrtError:
        raise
    except Exception as failure:
        thrown: Any = getattr(failure, "java_exception", None) or getattr(failure, "_origin", None)
        while thrown is not None and not is_instance_of(spark.sparkContext._gateway, thrown, "java.sql.SQLException"):
            thrown = thrown.getCause()
        if thrown is None:
            raise
        said = str(thrown.getMessage()).strip().replace("\n", " ")
        raise meaning(table, str(thrown.getSQLState() or ""), said) from failure


def meaning(table: Table, state: str, said: str) -> NrtError:
    """The error that a database's SQLSTATE and message mean."""
    where, url, words = f"table {table.name!r}", shown_url(table.options[URL]), _own_words(said)
    if _is_lost_race(state, said):
        return LostRaceError(f"{where}: {said}")
    if state.startswith("23"):
        return InputError(
            f"{where}: a row violates a constraint of the database: {said}. Change the constraint, or go on without "
            "the row: airflow-nrt set-aside"
        )
    if state.startswith("22"):
        return InputError(f"{where}: a value does not fit its column: {said}")
    if state == "3D000" or "Unknown database" in words or "to database" in words:
        kind = RefusedError if "to database" in words else InputError
        return kind(f"{where}: {said}: create the database, grant it, or correct '{URL}'")
    if state == _LOCKED or _LOCKED_BY_WORDS in words:
        return LockedError(
            f"{where}: another connection to {url} holds a lock on it: {said}. End that connection, or wait for longer "
            f"by '{LOCK_TIMEOUT}'"
        )
    if state.startswith(_SLOW):
        return UnreachableError(
            f"{where}: {url} does not answer in time: {said}. Find out what keeps it, or allow more by "
            f"'{STATEMENT_TIMEOUT}'"
        )
    if "command denied" in words or state == "42501":
        return RefusedError(f"{where}: user {table.options.get(USER, '')!r} may not do that: {said}. {_GRANTS}")
    if state.startswith("28") or "password authentication failed" in words or "Access denied for user" in words:
        return RefusedError(f"{where}: {url} refuses the login: {said}. Correct '{USER}' and '{PASSWORD}'")
    if state.startswith(_GONE) or any(one in words for one in _GONE_BY_WORDS):
        return UnreachableError(f"{where}: no database answers at {url}: start it, or correct '{URL}' ({said})")
    return InputError(f"{where}: {url} said: {said}")


def _own_words(said: str) -> str:
    """What is the database's own of its message: a row's values are in quotes, or in a detail."""
    return re.sub(r"'[^']*'", "''", said.partition("Detail: ")[0])


def _is_lost_race(state: str, said: str) -> bool:
    words = _own_words(said)
    if state.startswith("23"):
        return state == _DUPLICATE_OF_POSTGRESQL and any(index in words for index in _DUPLICATES_OF_RACES)
    return state in _AGAIN or any(one in words for one in _AGAIN_BY_WORDS)


def with_database(spark: SparkSession, table: Table, use: Callable[[Database], Result], rows: int = 0) -> Result:
    """What `use` makes of a new connection, on which a statement may write so many rows.

    It is tried again if the database ended a transaction of it.
    """
    for attempt in range(ATTEMPTS):
        database = Database(spark, table, rows)
        try:
            return use(database)
        except LostRaceError:
            if attempt == ATTEMPTS - 1:
                raise
            time.sleep(0.05 * 2**attempt)
        finally:
            database.close()
    raise AssertionError
