"""What is known of a connector without Spark: the options and METADATA of its tables, and what they can be used for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.options.known import LIVE, check_options
from airflow_nrt.model.options.option import Option
from airflow_nrt.model.tables import Table


@dataclass(frozen=True)
class Metadata:
    """A METADATA column: Spark SQL of it over rows just read, its type, and which declared types are that type."""

    sql: str
    type: DataType
    is_alike: Callable[[DataType], bool]


class Connector(ABC):
    """A value of the option 'connector'. What Spark does for it is a `Source` or a `Sink` of the engine."""

    name: ClassVar[str]
    options: ClassVar[Mapping[str, Option]]
    """All that its tables take, as sources and as sinks: one table may serve as both."""
    metadata: ClassVar[Mapping[str, Metadata]] = {}
    """By Flink's keys."""
    keeps_rows: ClassVar[bool] = True
    """Whether rows that were written stay, to be read again."""

    @abstractmethod
    def check_source(self, table: Table) -> None:
        """Raises InputError if the table can't be read."""

    @abstractmethod
    def check_sink(self, table: Table) -> None:
        """Raises InputError if the table can't be written to."""

    def check_options(self, table: Table) -> None:
        """Raises InputError for an option that is unknown, and for a text that is no value of its option."""
        check_options(table.options, self.options, f"table {table.name!r}")

    def place(self, table: Table) -> str:
        """Where the table lies, for people."""
        return f"connector '{self.name}'"

    def is_live(self, table: Table) -> bool:
        """Whether the table, as a source, waits for more rows when all that is there was read."""
        return LIVE in table.options

    def takes_changes_as_such(self, table: Table) -> bool:
        """Whether the table, as a sink, gets rows that are there now and rows that are there no more."""
        return False

    def replaces_rows(self, table: Table) -> bool:
        """Whether the table, as a sink, holds rows as they stand: a changed one replaces the one before."""
        return False

    def directory(self, table: Table) -> str | None:
        """Where files of whole windows stand, for whoever reads results without Spark; None if there are none."""
        return None

    def takes_changes(self, table: Table) -> bool:
        """Whether a row that was written can be taken back."""
        return self.takes_changes_as_such(table) or self.replaces_rows(table)


class SinkOnly(Connector):
    """One whose tables can't be read."""

    def check_source(self, table: Table) -> None:
        raise InputError(f"table {table.name!r}: connector '{self.name}' can only be written to")


class SourceOnly(Connector):
    """One whose tables can't be written to."""

    def check_sink(self, table: Table) -> None:
        raise InputError(f"table {table.name!r}: connector '{self.name}' can only be read")
