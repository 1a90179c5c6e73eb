"""The interface of a source: it finds arrivals, reads them, and recognises what it has read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.place import FILE
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.paths import written_path
from airflow_nrt.home.log.fold.looks import Looks
from airflow_nrt.home.log.position.partition_watermarks import WHOLE
from airflow_nrt.home.log.splits import SourceFile, Split
from airflow_nrt.home.notes.unread import UnreadFiles
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.tables import Table


class SplitEnumerator(ABC):
    """Finds the splits of one table. A driver calls it again and again, from one thread."""

    @abstractmethod
    def poll(self) -> list[Split]:
        """The splits that have arrived since the last call and were not read before, in the order to read them.

        Raises InputError if the table does not exist.
        """

    def in_order(self, batch: list[Split]) -> list[Split]:
        """The splits of a batch, found in one call of `poll` or in several, in the order in which they are read."""
        return batch

    @property
    def unreadable(self) -> int:
        """The number of splits that exist and can't be read. They wait."""
        return 0

    @abstractmethod
    def absorbed(self, splits: Iterable[Split]) -> None:
        """Notes that these splits were read and committed."""

    def resume(self, looks: Looks) -> None:
        """Goes on with what a driver before it saw (`looks`), before the first call of `poll`."""
        return

    def looks(self) -> Looks:
        """What a later driver need not look at again, as it is by now."""
        return {}

    def closable(self) -> list[str]:
        """The directories that close now. They are closed when `closed` says so."""
        return []

    def closed(self, directories: Iterable[str]) -> None:
        """An entry has closed these directories."""
        return

    @property
    def unread(self) -> Mapping[str, UnreadFiles]:
        """What came into closed directories, by directory. It is not read."""
        return {}

    def close(self) -> None:
        """Ends its connection to a server, if it has one."""
        return

    def changes(self) -> list[str]:
        """Messages about splits that have changed after they were read, since the last call. No result has that."""
        return []


class Source(ABC):
    """Finds and reads the rows of one connector. It is stateless: only the log knows what was read.

    A split is read again whenever windows are computed again, so it must not change.
    """

    part: ClassVar[str | None] = None
    """SQL of the part of a row, where parts of the source have watermarks of their own."""
    place: ClassVar[str] = written_path(FILE)
    """SQL of where a row stands, for people."""

    correction: ClassVar[str] = "Correct it, or"
    """The way out of a row that can't be read, before that of an option."""

    skips: ClassVar[bool] = False
    """Whether a row can be left out by its place."""

    needs_session: ClassVar[bool] = False
    """Whether it finds splits only with a session of Spark, whose Java has the client of a server."""

    may_lose_records: ClassVar[bool] = False
    """Whether records in the middle of a split may be gone when it is read again."""

    def check(self, spark: SparkSession, table: Table) -> None:
        """Raises InputError if the table's server is not there, or refuses. Asked before a stream."""
        return

    def load_client(self, spark: SparkSession, table: Table) -> None:
        """Loads the classes with which rows of the table's server are read, while the session is set up.

        Nothing may be planned by then. What goes wrong is said by `check`.
        """
        return

    def guard(self, spark: SparkSession, table: Table) -> None:
        """Has the session refuse files that are not the table's. Called before anything is read, because executors keep
        what they are told with their first file."""
        return

    @abstractmethod
    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> SplitEnumerator:
        """The enumerator of a table; `read` are the splits that were read before. `spark` is None before a session."""

    def standing(self, spark: SparkSession, table: Table, read: Sequence[SourceFile]) -> list[SourceFile]:
        """The files of a table as it is, or was when the first of those was found that were `read`, without these.

        Raises InputError for a file that can't be opened, and for a connector without files.
        """
        raise InputError(f"table {table.name!r}: connector {table.connector!r} has no files that are a topic's past")

    def row_at(self, spark: SparkSession, source: PlannedSource, place: str) -> SkippedRow:
        """The row that stands at a place, as a person names it. Raises InputError if there is none."""
        connector = source.table.connector
        raise InputError(f"table {source.name!r}: no row of connector {connector!r} can be left out by its place")

    def is_skipped(self, rows: Sequence[SkippedRow]) -> str:
        """SQL predicate: a row that was read is one of these."""
        return "false"

    def parts(self, splits: Iterable[Split]) -> dict[str, str]:
        """The parts with watermarks of their own that these splits are of, each with an SQL predicate: a row of the
        splits is of that part."""
        return {WHOLE: "true"}

    @abstractmethod
    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        """The rows of these splits: the physical columns that the plan reads, and hidden columns:

        _nrt_fault      string    what of the row could not be read, and `_nrt_why` (`malformed.py`); NULL if all could
        _nrt_line       string    the row as a text, where it was one, else NULL
        _nrt_file       string    the split, as `spellings` has it
        _nrt_op         string    what happens to the row (of tables of changes alone)
        _nrt_number     bigint    the number of the split, where the request has numbers, else NULL
        _nrt_block, _nrt_index    bigint    the place of the row in the split, in the order of arrival

        and the columns that the METADATA of the connector needs.
        """

    @abstractmethod
    def spellings(self, split: Split) -> tuple[str, ...]:
        """The values of `_nrt_file` that mean this split, quoted as in a URI."""

    @abstractmethod
    def in_ledger(self, split: Split) -> str:
        """How the late ledger names the split: `_nrt_file` without a scheme."""

    @abstractmethod
    def change_of(self, split: Split) -> str | None:
        """A message about how a split has changed since it was read, None if it has not.

        Raises FileNotFoundError if it is gone.
        """

    def gone(self, split: Split) -> str:
        """The message about a split that was read and is gone."""
        return f"the source file {split.name} was read and is gone"

    def readable(self, spark: SparkSession, table: Table, splits: Iterable[Split]) -> tuple[list[Split], list[str]]:
        """Which of these splits can be read again, and messages about those that have changed or are gone."""
        usable, problems = [], []
        for split in splits:
            try:
                change = self.change_of(split)
            except FileNotFoundError:
                problems.append(self.gone(split))
                continue
            if change is not None:
                problems.append(change)
            usable.append(split)
        return usable, problems

    def partition(self, table: Table, split: Split) -> dict[str, str]:
        """The partition of all rows of the split, by the table's partition keys; empty if there is none."""
        return {}

    def times(self, table: Table, split: Split) -> tuple[int, int] | None:
        """The least and the greatest rowtime (ms, UTC) in the split, where it says so itself without being read."""
        return None
