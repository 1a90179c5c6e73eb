"""Connector `jdbc`: tables of PostgreSQL, and of MySQL or MariaDB, by the options of Flink's JDBC connector."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from airflow_nrt.basics.durations import MINUTE, parse_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors.connector import SinkOnly
from airflow_nrt.model.connectors.windows_by_end import check_windows_by_end
from airflow_nrt.model.options.known import EVERY_SINK, read_option
from airflow_nrt.model.options.option import Option, free, named, parse_boolean, positive, whole_number
from airflow_nrt.model.tables import Table
from airflow_nrt.model.windows import Window

URL, TABLE, USER, PASSWORD, PATIENCE, CREATE = (
    "url",
    "table-name",
    "username",
    "password",
    "connection.max-retry-timeout",
    "sink.create-table",
)
_URL = re.compile(r"jdbc:(postgresql|mysql|mariadb)://[^\s]+")
_AT_ONCE = "the results of a batch are written at once, in one transaction"
_RETRIED = "a transaction is retried until it is done"
_JARS = {"postgresql": "postgresql", "mysql": "mariadb", "mariadb": "mariadb"}


def _url(text: str) -> str:
    if _URL.fullmatch(text) is None:
        # Without what may be a password.
        short = text.partition("?")[0]
        raise ValueError(f"{short!r} is not of the form 'jdbc:postgresql://host:5432/database' (or mysql, mariadb)")
    return text


class Jdbc(SinkOnly):
    name = "jdbc"
    shares_tables = False
    options: ClassVar = named(
        (
            *EVERY_SINK,
            Option(TABLE, str, None, "the table, also as schema.table"),
            *free(
                Option(URL, _url, None, "of the database: jdbc:postgresql://host:5432/database"),
                Option(USER, str, None, "of the database"),
                Option(PASSWORD, str, None, "of the database"),
                Option(PATIENCE, parse_duration, MINUTE // 6, "how long one attempt to connect may take"),
                Option(CREATE, parse_boolean, False, "the table is created where it is missing"),
            ),
            Option("driver", str, None, "of JDBC", idle="the url says which"),
            Option("sink.buffer-flush.max-rows", whole_number, None, "of the sink", idle=_AT_ONCE),
            Option("sink.buffer-flush.interval", parse_duration, None, "of the sink", idle=_AT_ONCE),
            Option("sink.max-retries", whole_number, None, "of the sink", idle=_RETRIED),
            Option("sink.parallelism", positive, None, "of the sink", idle="Spark chooses the tasks of a batch"),
        )
    )

    def check_sink(self, table: Table) -> None:
        self.check_options(table)
        for name in (URL, TABLE):
            if not table.options.get(name):
                raise InputError(f"table {table.name!r} needs the option '{name}'")
        if table.partition_keys:
            raise InputError(f"table {table.name!r}: a table of a database has no PARTITIONED BY here: leave it out")

    def check_windows(self, table: Table, window: Window, end_column: str | None) -> None:
        check_windows_by_end(table, window, end_column, "a database")

    def takes_changes_as_such(self, table: Table) -> bool:
        return bool(table.primary_key)

    def jars(self, table: Table) -> str:
        return _JARS[kind_of(table)]

    def place(self, table: Table) -> str:
        return f"table {table.options[TABLE]} of {table.options[URL].partition('?')[0]}"


def jdbc_option(table: Table, name: str) -> Any:
    """The value of an option, or its default."""
    return read_option(table.options, Jdbc.options, name)


def kind_of(table: Table) -> str:
    """`postgresql`, `mysql` or `mariadb`."""
    match = _URL.fullmatch(table.options[URL])
    assert match is not None
    return match[1]
