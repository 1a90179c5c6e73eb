"""Tables of a lakehouse: what Delta and Iceberg have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.model.connectors.connector import Connector
from airflow_nrt.model.connectors.windows_by_end import check_windows_by_end
from airflow_nrt.model.options.known import EVERY_SINK, EVERY_SOURCE, SINK_OPTIONS, read_option
from airflow_nrt.model.options.lookups import LOOKUP_OPTIONS
from airflow_nrt.model.options.option import Option, free, parse_boolean
from airflow_nrt.model.tables import Table
from airflow_nrt.model.windows import Window

CREATE = "sink.create-table"
LAKEHOUSE_OPTIONS = (
    *EVERY_SOURCE,
    *EVERY_SINK[1:],
    *LOOKUP_OPTIONS,
    *free(
        Option(CREATE, parse_boolean, False, "the table is created where it is missing"), SINK_OPTIONS["sink.sample"]
    ),
)


class LakehouseConnector(Connector):
    """A table with a history. As a sink it gets one commit for each log entry; as a source it is read file by file."""

    shares_tables = False
    replaces_windows = True

    skipping: ClassVar[Mapping[str, str]]
    """The options by which a source leaves out versions of the table, by what these do to rows."""

    def check_source(self, table: Table) -> None:
        self._check(table)
        (path,) = (table.options[name] for name in self.paths)
        scheme, separator, _ = path.partition("://")
        if separator and scheme != "file":
            raise InputError(
                f"table {table.name!r}: sources of {scheme}:// are not there yet; use a path of a POSIX file system"
            )
        if table.partition_keys:
            raise InputError(
                f"table {table.name!r}: a table of {self.name} knows its own partitions: leave PARTITIONED BY out"
            )

    def check_dimension(self, table: Table) -> None:
        self.check_source(table)

    def check_sink(self, table: Table) -> None:
        self._check(table)

    def _check(self, table: Table) -> None:
        self.check_options(table)
        self.check_place(table)
        for column in table.physical:
            if column.type.holds("TIME"):
                raise MissingError(
                    f"table {table.name!r}: column {column.name!r}: TIME in a table of {self.name}",
                    "declare it as STRING, and CAST the value",
                )

    @abstractmethod
    def check_place(self, table: Table) -> None:
        """Raises InputError if the options don't say which table it is."""

    def needs(self, table: Table, *names: str) -> None:
        """Raises InputError for the first of these options that is missing."""
        for name in names:
            if not table.options.get(name):
                raise InputError(f"table {table.name!r} needs the option '{name}'")

    def check_windows(self, table: Table, window: Window, end_column: str | None) -> None:
        check_windows_by_end(table, window, end_column, f"a table of {self.name}")

    def takes_changes_as_such(self, table: Table) -> bool:
        return bool(table.primary_key)

    def keeps_samples(self, table: Table) -> bool:
        return True

    def jars(self, table: Table) -> tuple[str, ...]:
        return (self.name,)

    def option(self, table: Table, name: str) -> Any:
        """The value of an option, or its default."""
        return read_option(table.options, self.options, name)
