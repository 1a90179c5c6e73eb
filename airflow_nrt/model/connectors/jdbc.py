"""Connector `jdbc`: tables of PostgreSQL, and of MySQL or MariaDB, by the options of Flink's JDBC connector."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, ClassVar

from airflow_nrt.basics.durations import MINUTE, SECOND, parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors.connector import Connector
from airflow_nrt.model.connectors.jdbc_connection import login_of
from airflow_nrt.model.connectors.windows_by_end import check_windows_by_end
from airflow_nrt.model.datasets import DatasetName, of_database
from airflow_nrt.model.options.known import EVERY_SINK, SINK_OPTIONS, read_option
from airflow_nrt.model.options.lookups import LOOKUP_OPTIONS, looks_every
from airflow_nrt.model.options.option import Option, free, named, parse_boolean, positive, whole_number
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.shapes.url import shown_url
from airflow_nrt.model.tables import Table
from airflow_nrt.model.windows import Window

CONNECTION, URL, TABLE, USER, PASSWORD, PATIENCE, LOCK_TIMEOUT, STATEMENT_TIMEOUT, CREATE = (
    "connection",
    "url",
    "table-name",
    "username",
    "password",
    "connection.max-retry-timeout",
    "connection.lock-timeout",
    "connection.statement-timeout",
    "sink.create-table",
)
_URL = re.compile(r"jdbc:(postgresql|mysql|mariadb)://[^\s]+")
_AT_ONCE = "the results of a batch are written at once, in one transaction"
_RETRIED = "a transaction is retried until it is done"
_JARS = {"postgresql": "postgresql", "mysql": "mariadb", "mariadb": "mariadb"}


def _url(text: str) -> str:
    if _URL.fullmatch(text) is None:
        raise ValueError(
            f"{shown_url(text)!r} is not of the form 'jdbc:postgresql://host:5432/database' (or mysql, mariadb)"
        )
    return text


def _connection(text: str) -> str:
    if re.fullmatch(r"[\w.-]+", text) is None:
        raise ValueError(f"{text!r} is not the name of a connection: letters, digits, '_', '.' and '-'")
    return text


def _seconds(text: str) -> int:
    """Milliseconds. Raises ValueError below a second: 0 would be without end to a database."""
    found = parse_duration(text)
    if found < SECOND:
        raise ValueError(f"{text!r} is shorter than a second")
    return found


class Jdbc(Connector):
    name = "jdbc"
    shares_tables = False
    options: ClassVar = named(
        (
            *EVERY_SINK,
            Option(TABLE, str, None, "the table, also as schema.table"),
            *free(
                Option(CONNECTION, _connection, None, "of Airflow, in place of url, username and password"),
                Option(URL, _url, None, "of the database: jdbc:postgresql://host:5432/database"),
                Option(USER, str, None, "of the database"),
                Option(PASSWORD, str, None, "of the database"),
                Option(PATIENCE, parse_duration, MINUTE // 6, "how long one attempt to connect may take"),
                Option(LOCK_TIMEOUT, _seconds, MINUTE // 6, "how long a statement waits for a lock"),
                Option(STATEMENT_TIMEOUT, _seconds, MINUTE, "how long a statement may take, beside 1 s for 5000 rows"),
                Option(CREATE, parse_boolean, False, "the table is created where it is missing"),
                SINK_OPTIONS["sink.sample"],
            ),
            *LOOKUP_OPTIONS,
            Option("scan.fetch-size", whole_number, None, "of the reader", idle="rows are read 5000 at a time"),
            Option("driver", str, None, "of JDBC", idle="the url says which"),
            Option("sink.buffer-flush.max-rows", whole_number, None, "of the sink", idle=_AT_ONCE),
            Option("sink.buffer-flush.interval", parse_duration, None, "of the sink", idle=_AT_ONCE),
            Option("sink.max-retries", whole_number, None, "of the sink", idle=_RETRIED),
            Option("sink.parallelism", positive, None, "of the sink", idle="Spark chooses the tasks of a batch"),
        )
    )

    def check_source(self, table: Table) -> None:
        raise InputError(
            f"table {table.name!r}: connector 'jdbc' can be written to, and looked up by JOIN … FOR SYSTEM_TIME AS OF; "
            "it can't be read otherwise"
        )

    def check_dimension(self, table: Table) -> None:
        self._check(table)

    def looks_every(self, table: Table) -> int:
        """A look reads the whole table."""
        return looks_every(table.options, MINUTE)

    def check_sink(self, table: Table) -> None:
        self._check(table)

    def _check(self, table: Table) -> None:
        self.check_options(table)
        where = f"table {table.name!r}"
        both = [name for name in (URL, USER, PASSWORD) if name in table.options]
        if CONNECTION in table.options and both:
            raise InputError(f"{where}: '{CONNECTION}' has what '{both[0]}' says, too: leave one of them out")
        if not table.options.get(TABLE):
            raise InputError(f"{where} needs the option '{TABLE}'")
        if not (table.options.get(URL) or table.options.get(CONNECTION)):
            raise InputError(f"{where} needs the option '{URL}' or '{CONNECTION}'")
        if table.partition_keys:
            raise InputError(f"table {table.name!r}: a table of a database has no PARTITIONED BY here: leave it out")

    def completed(self, table: Table, given: Settings) -> Table:
        """The table with url, username and password of its connection."""
        name = table.options.get(CONNECTION)
        if name is None:
            return table
        login = login_of(name, given, f"table {table.name!r}")
        options = {URL: login.url, USER: login.user, PASSWORD: login.password}
        known = {option: text for option, text in options.items() if text is not None}
        return replace(table, options={**table.options, **known})

    def check_windows(self, table: Table, window: Window, end_column: str | None) -> None:
        check_windows_by_end(table, window, end_column, "a database")

    def takes_changes_as_such(self, table: Table) -> bool:
        return bool(table.primary_key)

    def keeps_samples(self, table: Table) -> bool:
        return True

    def jars(self, table: Table) -> tuple[str, ...]:
        return (_JARS[database_kind(table)],)

    def datasets(self, table: Table) -> tuple[DatasetName, ...]:
        return (of_database(table.options[URL], table.options[TABLE]),)

    def place(self, table: Table) -> str:
        name = table.options.get(CONNECTION)
        database = shown_url(table.options[URL]) if name is None else f"connection {name}"
        return f"table {table.options[TABLE]} of {database}"


def jdbc_option(table: Table, name: str) -> Any:
    """The value of an option, or its default."""
    return read_option(table.options, Jdbc.options, name)


def database_kind(table: Table) -> str:
    """`postgresql`, `mysql` or `mariadb`."""
    match = _URL.fullmatch(table.options[URL])
    assert match is not None
    return match[1]
