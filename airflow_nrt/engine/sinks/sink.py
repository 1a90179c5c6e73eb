"""The interface of a sink: results are staged, published once the log has decided, removed, and read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sinks.held_rows import EVERY_ROW, HeldRows
from airflow_nrt.engine.sinks.table_versions import TableVersions
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.model.plan import Insert

if TYPE_CHECKING:
    import pyarrow as pa

Decided = Mapping[tuple[str, str], Published]
"""The published files according to the log, by insert and target."""


@dataclass(frozen=True)
class Standing:
    """The rows in a sink, with its columns and `_nrt_end`.

    `foreign` are targets that the log does not contain, each with its place for people.
    """

    rows: DataFrame
    foreign: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Maintained:
    """A table after its maintenance: the numbers of files with its rows before and after it."""

    files_before: int
    files_after: int


@dataclass(frozen=True)
class RefusedRow:
    """A staged row that a sink refuses, of the window that ends at `end` (ms), with what the sink said.

    `content` identifies it (`Sink.content`), `row` shows it.
    """

    end: int | None
    content: str
    row: str
    reason: str


@dataclass(frozen=True)
class Takeover:
    """What a table has that is taken from the generation `former` of a home, and what it is to have: the `standing`
    results, each with the log entry that decided it, in place of those that were `left`."""

    former: Home
    standing: Sequence[tuple[int, Published]]
    left: Sequence[Published]


def windows_keep_from_takeover(before: Insert, insert: Insert) -> str | None:
    """Why a table can't be taken over whose rows are found by the ends of their windows, None if it can."""
    if before.end_column is None or insert.end_column != before.end_column:
        return f"its rows are not found by the end of their windows, as those of {before.name} were"
    return "its windows are published by their changes" if insert.emits_changes or before.emits_changes else None


class Sink(ABC):
    """The results of one connector. It is stateless: only the log knows what was published.

    `spark` is a session that whoever calls has for itself. What a method sets or names there is gone when it returns.

    If rows stay (`Connector.keeps_rows`), they can be read back, and are verified.
    """

    needs_session: ClassVar[bool] = False
    """Whether claims are taken back only with a session of Spark, whose Java has the client of a server."""

    @abstractmethod
    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        """Claims the table for this home, before anything is written.

        Raises InputError if the table belongs to another home, or is not accessible.
        """

    def look(self, spark: SparkSession, insert: Insert) -> None:
        """Asks what `check` asks, but whose the table is: nothing is made or claimed.

        Raises InputError and UnreachableError.
        """
        return

    def release(self, spark: SparkSession | None, home: Home, insert: Insert) -> None:
        """Takes back what `check` has claimed for this home, so that another one can have the table. Its rows stay.

        `spark` may be None unless the sink `needs_session` for it. Raises InputError and UnreachableError.
        """
        return

    def is_of(self, spark: SparkSession, insert: Insert, owner: str) -> bool:
        """Whether the table is claimed for the home, or the generation of a home, with this id. Raises as `look`."""
        return False

    def keeps_from_takeover(self, before: Insert, insert: Insert) -> str | None:
        """Why the table of an insert can't be taken over from the insert `before`, None if it can."""
        return f"what connector '{insert.sink.connector}' has taken can't be replaced"

    def take_over(self, spark: SparkSession, home: Home, insert: Insert, takeover: Takeover) -> None:
        """Replaces the results of a generation of the home, and claims the table. It may have been done in part.

        Raises as `publish`.
        """
        raise InputError(f"{insert.name}: {self.keeps_from_takeover(insert, insert)}")

    @abstractmethod
    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> Iterable[Published]:
        """Writes the rows of an insert (with `_nrt_end` if it is windowed) where no reader sees them.

        `directory` is a new one below `staged/` of the home, of this call alone: it is removed once all that this gives
        is published. Some file of it must remain until then. `tasks` bounds the tasks of the write. Rows are in the
        insert's `order`, if it has one. A new version of a window replaces the one before; if the insert
        `emits_changes`, its changes are staged instead (`_nrt_op`).
        """

    def held(self, spark: SparkSession, insert: Insert) -> HeldRows:
        """Which rows of the insert the sink can take, and how they are read back. Others are left out, before the log
        decides on them.

        Raises InputError and UnreachableError, where the sink itself has to be asked.
        """
        return EVERY_ROW

    def content(self, insert: Insert) -> str:
        """SQL of what identifies a row of a result within its window, for `refused`."""
        raise InputError(f"{insert.name}: no row is set aside from a table of connector '{insert.sink.connector}'")

    def refused(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> list[RefusedRow]:
        """The rows of an entry that the sink refuses for what is in them, though it was to hold them.

        Publishes nothing.
        """
        return []

    def restaged(self, home: Home, insert: Insert, made: Published, standing: Published) -> Published:
        """A staged window that is to replace a standing one, as it is published: as that stands, if the rows are the
        same."""
        return made

    publishes_entries: ClassVar[bool] = False
    """Whether all that an entry publishes becomes visible at once. Else one file after the other does.

    Such a sink itself decides what it has published, also of a window that a later entry has published already.
    """

    @abstractmethod
    def publish(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> None:
        """Makes staged files of an entry visible: one, or all of the insert if it `publishes_entries`.

        It is idempotent, and is called in the order of the log.
        """

    @abstractmethod
    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        """Removes a target, as an entry has decided. A missing one is no error."""

    def published_until(self, spark: SparkSession, home: Home, insert: Insert) -> int | None:
        """The log entry up to which the table has the results of its insert; None if it does not follow the log, and
        asks for no entry again. Raises InputError and UnreachableError."""
        return None

    def maintain(self, spark: SparkSession, home: Home, insert: Insert, before: int) -> Maintained | None:
        """Puts the rows of the table into few files, and removes what only its versions from before this time (ms of
        the wall clock) need. None if the sink's table needs nothing of that.

        It may run beside a driver. Raises InputError if there is no table, or if it belongs to another home.
        """
        return None

    @property
    def is_copy(self) -> bool:
        """Whether it is a copy, to which nothing is published."""
        return False

    @property
    def is_fixed(self) -> bool:
        """Whether nothing that is published from now on will be seen in it."""
        return self.is_copy

    def at_copy(self, root: Path) -> Sink:
        """The sink for a copy of the published files. Raises InputError if the connector has no files."""
        raise InputError(f"{root}: only results in files have a copy that can be verified")

    def past(self, spark: SparkSession, home: Home, insert: Insert) -> TableVersions | None:
        """The versions of the table, None where it keeps none."""
        return None

    def at(self, version: int) -> Sink:
        """The sink as this version of its table, of those that are `past`."""
        raise InputError(f"version {version}: only tables of a lakehouse have versions")

    def standing(self, spark: SparkSession, insert: Insert, decided: Decided, ends: Iterable[int | None]) -> Standing:
        """The rows of the windows that end at `ends` (None: of no window). Raises InputError where no rows are kept."""
        raise InputError(f"{insert.name}: what connector '{insert.sink.connector}' wrote can't be read back")

    def foreign_rows(self, spark: SparkSession, insert: Insert, targets: Collection[str]) -> int:
        """The number of rows in foreign targets."""
        return 0

    def as_read(self, insert: Insert, rows: DataFrame) -> DataFrame:
        """Rows of a result as a reader of the sink can see them."""
        return rows

    def blurred(self, insert: Insert) -> frozenset[str]:
        """The columns in which a reader of the sink can't distinguish some values."""
        return frozenset()

    def sample(
        self, home: Home, insert: Insert, published: Published, keys: Sequence[str], measures: Sequence[str], limit: int
    ) -> tuple[pa.Table, int] | None:
        """The keys as texts and the measures as doubles of a published file, and the number of bytes read.

        None if the sink has no samples, if the file was replaced since, or if it has more bytes than `limit`. A sink
        that `publishes_entries` is asked while the staged file is still there.
        """
        return None
