"""A micro-batch before it is committed: its rows, which several consumers read, and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import bigint
from airflow_nrt.engine.time.accept import accepted
from airflow_nrt.engine.versions.throttled_changes import WaitingFiles
from airflow_nrt.engine.versions.versions import Touched
from airflow_nrt.home.log.entries import Lateness, Published, StateFile
from airflow_nrt.model.internal_columns import BATCH, SEEN
from airflow_nrt.model.plan import Source


@dataclass(frozen=True)
class Batch:
    """A micro-batch of a source before it is committed.

    `clock` is its processing time (ms), `watermarks` are those of the operators that absorb it, by which its rows are
    late, `dimensions` the versions of dimension tables that they are joined with. `ends`: the source ends with it. One
    that `is_whole` has all rows of its windows.
    """

    source: Source
    clock: int
    watermarks: Mapping[str, int | None]
    dimensions: Mapping[str, str]
    ends: bool
    is_whole: bool


@dataclass(frozen=True)
class BatchResult:
    """What a batch has written before its commit: counts, files of state and results, the ledger.

    `proposals` are the watermarks (ms) that its rows propose, by part of the source.
    """

    row_count: int = 0
    proposals: Mapping[str, int | None] = field(default_factory=dict)
    partials: Mapping[str, StateFile] = field(default_factory=dict)
    updating: Mapping[str, tuple[StateFile, ...]] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    late: tuple[Lateness, ...] = ()
    ledger: str | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    touched: Mapping[str, Sequence[Touched]] = field(default_factory=dict)
    waiting: WaitingFiles = field(default_factory=dict)


@dataclass
class BatchRows:
    """The judged rows of a batch, which the entry `number` commits. The first consumer gets the frame whose observation
    counts them."""

    source: Source
    number: int
    _next: DataFrame
    _others: DataFrame

    def take(self, watermark: int | None) -> DataFrame:
        """The rows for one consumer, with the watermark (ms) that decides which are late; None: no row is late."""
        taken, self._next = self._next, self._others
        return accepted(taken, self.source, f"{bigint(watermark)} AS {SEEN}")

    def archived(self) -> DataFrame:
        """The rows for the archive of the source, with the number of their batch."""
        return self.take(None).withColumn(BATCH, F.lit(self.number).cast("bigint"))
