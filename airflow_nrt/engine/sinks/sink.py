"""What a sink does: results are staged, published once the log has decided, taken away, and read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.model.plan import Insert

if TYPE_CHECKING:
    import pyarrow as pa

Ledger = Mapping[tuple[str, str], Published]
"""What stands in the sinks by the log: by insert and target."""


@dataclass(frozen=True)
class Standing:
    """Rows that stand in a sink, with its columns and `_nrt_end`.

    `foreign` are targets that the log knows nothing of, each with the words by which people find it.
    """

    rows: DataFrame
    foreign: Mapping[str, str] = field(default_factory=dict)


class Sink(ABC):
    """How results of one connector become visible. It has no state: the log alone knows what was published.

    What stays (`Connector.keeps_rows`) can be read again, and is verified.
    """

    @abstractmethod
    def check(self, home: Home, insert: Insert) -> None:
        """Makes the table this home's, before anything is written.

        Raises InputError if that can't be: it is another home's, or can't be reached.
        """

    @abstractmethod
    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> Iterable[Published]:
        """Writes the rows of an insert (with `_nrt_end` if it is windowed) where no reader sees them.

        `directory` is a new one below `staged/` of the home; something of it must be there until `publish` has been
        called for all that this gives. `tasks` bounds the tasks of the write. Rows stand
        in the insert's `order`, if it has one. A new version of a window takes the place of the one before, or, if the
        insert `emits_changes`, is staged as what has changed (`_nrt_op`).
        """

    @abstractmethod
    def publish(self, home: Home, insert: Insert, published: Published) -> None:
        """Makes what was staged visible, exactly once however often this is called, in the order of the log."""

    @abstractmethod
    def remove(self, insert: Insert, target: str) -> None:
        """Takes what stands at a target away. What is gone is gone."""

    @property
    def is_copy(self) -> bool:
        """Whether nobody publishes to it."""
        return False

    def at_copy(self, root: Path) -> Sink:
        """The same for a copy of what was published. Raises InputError where there is no directory to copy."""
        raise InputError(f"{root}: only what stands in files has a copy that can be verified")

    @abstractmethod
    def standing(self, spark: SparkSession, insert: Insert, ledger: Ledger, ends: Iterable[int | None]) -> Standing:
        """The rows of the windows that end at `ends` (None: of no window)."""

    def foreign_rows(self, spark: SparkSession, insert: Insert, targets: Collection[str]) -> int:
        """How many rows stand at foreign targets."""
        return 0

    def as_read(self, insert: Insert, rows: DataFrame) -> DataFrame:
        """Rows of a result as a reader of the sink can see them."""
        return rows

    def blurred(self, insert: Insert) -> frozenset[str]:
        """The columns in which a reader of the sink can't tell some values apart."""
        return frozenset()

    def sample(
        self, insert: Insert, published: Published, keys: Sequence[str], measures: Sequence[str], limit: int
    ) -> tuple[pa.Table, int] | None:
        """Keys as texts and measures as doubles of what was published, and how many bytes were read for that.

        None if the sink gives no samples, if something else stands there by now, or if it has more bytes than `limit`.
        """
        return None
