"""What a source does: it finds what has come, reads it, and knows again what it has read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.entries import Split
from airflow_nrt.model.partition_filter import PartitionFilter
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.tables import Table


class SplitEnumerator(ABC):
    """Finds the splits of one table. A driver asks it again and again, from one thread."""

    @abstractmethod
    def poll(self) -> list[Split]:
        """What has come since the last call, and was not read before, in the order in which it is to be read.

        Raises InputError if the table is not there.
        """

    @property
    def unreadable(self) -> int:
        """How many splits are there and can't be read: they wait."""
        return 0

    @abstractmethod
    def absorbed(self, splits: Iterable[Split]) -> None:
        """These were read, and count."""

    def changes(self) -> list[str]:
        """What has happened to splits after they were read, since the last call: it is in no result."""
        return []


class Source(ABC):
    """How rows of one connector are found and read. It has no state: the log alone knows what was read.

    A split is read again whenever windows are computed again, so what it holds must stay as it was.
    """

    @abstractmethod
    def enumerator(self, table: Table, read: Iterable[Split] = ()) -> SplitEnumerator:
        """Of a table of which these splits were read before."""

    @abstractmethod
    def read(
        self,
        spark: SparkSession,
        source: PlannedSource,
        splits: Sequence[Split],
        tasks: Tasks,
        numbers: Mapping[str, int] | None = None,
        asked: PartitionFilter | None = None,
    ) -> DataFrame:
        """The rows of these splits: the physical columns that the plan reads, and what is needed:

        _nrt_fault      string    what of the row could not be read, and `_nrt_why` (`faults.py`); NULL if all could
        _nrt_line       string    the row as a text, where it was one, else NULL
        _nrt_file       string    the split, as `spellings` has it
        _nrt_op         string    what happens to the row (of tables of changes alone)
        _nrt_number     bigint    the number of the split, where `numbers` has them by name, else NULL
        _nrt_block, _nrt_index    bigint    where the row stands in the split: in this order rows came

        and what the METADATA columns of the connector read. Few rows come in one task (`tasks`). A source may leave out
        rows of partitions that are not `asked` for.
        """

    @abstractmethod
    def spellings(self, split: Split) -> tuple[str, ...]:
        """The values of `_nrt_file` that mean this split, quoted as in a URI."""

    @abstractmethod
    def in_ledger(self, split: Split) -> str:
        """How the late ledger names the split: `_nrt_file` without a scheme."""

    @abstractmethod
    def change_of(self, split: Split) -> str | None:
        """What has become of a split since it was read, None if nothing has. Raises FileNotFoundError if it is gone."""

    def partition(self, table: Table, split: Split) -> dict[str, str]:
        """The partition that all rows of the split are in, by the table's partition keys; empty if there is none."""
        return {}
