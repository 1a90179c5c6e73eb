"""A connector as planning sees it, without Spark: the options and METADATA of its tables, and what they can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.datasets import DatasetName
from airflow_nrt.model.options.known import LIVE, check_options
from airflow_nrt.model.options.lookups import looks_every
from airflow_nrt.model.options.option import Option
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.tables import Table
from airflow_nrt.model.windows import Window


@dataclass(frozen=True)
class Metadata:
    """A METADATA column: its Spark SQL over rows just read, its type, and which declared types are that type."""

    sql: str
    type: DataType
    is_alike: Callable[[DataType], bool]


class Connector(ABC):
    """A value of the option 'connector'. What Spark does for it is a `Source` or a `Sink` of the engine."""

    name: ClassVar[str]
    options: ClassVar[Mapping[str, Option]]
    """The options of its tables, as sources and as sinks: one table may be both."""
    metadata: ClassVar[Mapping[str, Metadata]] = {}
    """METADATA columns by Flink's keys."""
    arrival: ClassVar[str] = ""
    """The METADATA key of the time at which a row came into the source, in the order of which rows arrive."""
    keeps_rows: ClassVar[bool] = True
    """Whether written rows can be read back."""

    has_upserts: ClassVar[bool] = False
    """Whether a row that is read replaces the one of its PRIMARY KEY, or retracts it."""

    shares_tables: ClassVar[bool] = True
    """Whether several INSERTs may write into one table."""

    replaces_windows: ClassVar[bool] = False
    """Whether one commit replaces the rows of a window in all partitions. Then a newer version of a window is written
    whole, also into a table that takes changes of rows."""

    paths: ClassVar[tuple[str, ...]] = ("path",)
    """The options that are places in a file system; relative ones start at the report."""

    @abstractmethod
    def check_source(self, table: Table) -> None:
        """Raises InputError if the table can't be read."""

    @abstractmethod
    def check_sink(self, table: Table) -> None:
        """Raises InputError if the table can't be written to."""

    def check_dimension(self, table: Table) -> None:
        """Raises InputError if rows of the table can't be looked up by a lookup join."""
        raise InputError(
            f"table {table.name!r}: connector '{self.name}' can't be looked up by FOR SYSTEM_TIME AS OF: use a table "
            "of 'connector' = 'filesystem', 'jdbc', 'delta' or 'iceberg'"
        )

    def looks_every(self, table: Table) -> int:
        """How often (ms) a stream looks for a new version of a table that is looked up; 0: before each batch."""
        return looks_every(table.options, 0)

    def check_windows(self, table: Table, window: Window, end_column: str | None) -> None:
        """Raises InputError if the table, as a sink, can't take results of windows.

        `end_column` is its column with `window_end`, None if none is written.
        """
        return

    def check_options(self, table: Table) -> None:
        """Raises InputError for an unknown option, and for an invalid value of an option."""
        check_options(table.options, self.options, f"table {table.name!r}")

    def completed(self, table: Table, given: Settings) -> Table:
        """The table with the options that it takes from what is given with the report, and not from its script.

        Raises InputError where that lacks some.
        """
        return table

    def jars(self, table: Table) -> tuple[str, ...]:
        """What Spark needs for the table beside its own jars, by the names of `basics/jars.py`."""
        return ()

    def spark_settings(self, table: Table) -> Mapping[str, str]:
        """The settings of Spark that a session needs for the table, before it begins."""
        return {}

    def place(self, table: Table) -> str:
        """The location of the table, for people."""
        return f"connector '{self.name}'"

    def datasets(self, table: Table) -> tuple[DatasetName, ...]:
        """The table in lineage: several topics are several datasets. None if nobody else can read or write it."""
        return ()

    def symlinks(self, table: Table) -> tuple[DatasetName, ...]:
        """Further names of the one dataset that the table is."""
        return ()

    def leniency(self, table: Table) -> str | None:
        """The option by which malformed rows are counted, and don't stop the driver; None if no row is malformed."""
        option = f"{table.format}.ignore-parse-errors"
        return option if option in self.options else None

    def stays_malformed(self, table: Table) -> bool:
        """Whether a row that can't be read now can never be read."""
        return True

    def is_live(self, table: Table) -> bool:
        """Whether the table, as a source, waits for more rows once all present ones are read."""
        return LIVE in table.options

    def takes_changes_as_such(self, table: Table) -> bool:
        """Whether the table, as a sink, takes a changelog: rows that are added and rows that are retracted."""
        return False

    def replaces_rows(self, table: Table) -> bool:
        """Whether the table, as a sink, takes upserts: a changed row replaces the one with its key."""
        return False

    def directory(self, table: Table) -> str | None:
        """The directory with a file for each window, for readers of results without Spark; None if there is none."""
        return None

    def keeps_exactly(self, table: Table) -> bool:
        """Whether rows that are read back from the table, as a sink, have the values that were written."""
        return self.keeps_rows

    def keeps_samples(self, table: Table) -> bool:
        """Whether the windows that the table takes, as a sink, are sampled for the page."""
        return False

    def takes_changes(self, table: Table) -> bool:
        """Whether a written row can be retracted."""
        return self.takes_changes_as_such(table) or self.replaces_rows(table)


class SinkOnly(Connector):
    """A connector whose tables can't be read."""

    def check_source(self, table: Table) -> None:
        raise InputError(f"table {table.name!r}: connector '{self.name}' can only be written to")


class SourceOnly(Connector):
    """A connector whose tables can't be written to."""

    def check_sink(self, table: Table) -> None:
        raise InputError(f"table {table.name!r}: connector '{self.name}' can only be read")
