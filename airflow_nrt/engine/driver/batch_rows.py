"""The rows of a micro-batch before it is committed, which several consumers read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import bigint
from airflow_nrt.engine.archive.staged_rows import as_staged, staged_rows
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.time.accept_or_reject import accepted, judge
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.internal_columns import BATCH, SEEN
from airflow_nrt.model.plan import Source


@dataclass
class BatchRows:
    """The judged rows of a batch, which the entry `number` commits. The first consumer gets the frame whose observation
    counts them.

    `splits` are what it reads, `numbers` their numbers, where the order of rows matters. `latest` is the last rowtime
    (ms) that is not in the future, `arrival` SQL of `_nrt_absorbed`.
    """

    source: Source
    number: int
    splits: Sequence[Split]
    numbers: Mapping[str, int] | None
    latest: int | None
    arrival: str
    _next: DataFrame
    _others: DataFrame

    def take(self, watermark: int | None) -> DataFrame:
        """The rows for one consumer, with the watermark (ms) that decides which are late; None: no row is late."""
        taken, self._next = self._next, self._others
        return self._accepted(taken, watermark)

    def archived(self) -> DataFrame:
        """The rows for the archive of the source, with the number of their batch."""
        return self.take(None).withColumn(BATCH, F.lit(self.number).cast("bigint"))

    def staged(
        self, spark: SparkSession, home: Home, archived: Sequence[Published], tasks: Tasks
    ) -> Callable[[int | None], DataFrame]:
        """What `take` gives, from the files that were staged for the archive."""
        if not archived:
            return self.take
        rows = staged_rows(spark, self.source, home, archived, self.splits, self.numbers, tasks)
        judged = judge(rows, as_staged(self.source), self.latest, self.arrival)
        return partial(self._accepted, judged)

    def _accepted(self, judged: DataFrame, watermark: int | None) -> DataFrame:
        return accepted(judged, self.source, f"{bigint(watermark)} AS {SEEN}")
