"""The interface of an archive: what was read of a source, and how it is read again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.archive.needed_pieces import Needed
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.plan import Source

ENTRY = "_nrt_entry"
BACKFILL = -1
"""The entry of rows that only a backfill has read, and no batch of a stream yet."""


@dataclass(frozen=True)
class ArchivedRows:
    """Rows as `Source.read` gives them, with `_nrt_entry`, the entry that committed each.

    `whole` are the splits of the log whose rows are all here, `partial` the entries of which some rows are here and
    others are not. Some rows that were asked for are `lacking`, for reasons that are among the problems. So many files
    were `published_again` by the report whose results they are, so that other rows are here than their batches read.
    """

    frame: DataFrame
    whole: tuple[Split, ...]
    partial: frozenset[int] = frozenset()
    problems: tuple[str, ...] = ()
    lacking: bool = False
    published_again: int = 0


def all_of(reads: Sequence[ArchivedRows]) -> ArchivedRows:
    """What was read at several times, as one. Its frame has the columns of the first."""
    return ArchivedRows(
        reduce(DataFrame.unionAll, (one.frame for one in reads)),
        tuple(split for one in reads for split in one.whole),
        frozenset().union(*(one.partial for one in reads)),
        tuple(problem for one in reads for problem in one.problems),
        any(one.lacking for one in reads),
        sum(one.published_again for one in reads),
    )


class SourceArchive(ABC):
    """What a stream or a backfill has read of one source, where it is kept.

    It consists of `pieces`: splits of the log, or files.
    """

    source: Source

    knows_arrival: ClassVar[bool] = True
    """Whether it says which batch a row came with. Else no row is known to be late."""

    files_move: ClassVar[bool] = False
    """Whether others may put rows into other files at any time. Then they are read at once, and again where a file was
    gone."""

    @property
    @abstractmethod
    def judged_as(self) -> Source:
        """The source as its rows have it: METADATA may be columns of files."""

    @property
    @abstractmethod
    def pieces(self) -> Sequence[Split]:
        """All pieces."""

    @abstractmethod
    def between(self, spark: SparkSession, start: int, end: int) -> Needed:
        """The pieces that can hold rows with `start <= rowtime < end` (ms); all where pieces have no time."""

    def by_policy(self, pieces: Sequence[Split]) -> Sequence[tuple[SourceArchive, Sequence[Split]]]:
        """The pieces, each with the archive as it is read under the input policy of their entries."""
        return [(self, pieces)]

    @abstractmethod
    def read(self, spark: SparkSession, pieces: Sequence[Split], tasks: Tasks, numbered: bool) -> ArchivedRows:
        """The rows of these pieces. If `numbered`, each has the place of its split in the order of arrival."""
