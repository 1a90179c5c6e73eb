"""Tunes how Spark runs the plans of a batch, by the number of rows that it reads.

Plans with few rows are interpreted: compiling takes longer than all the rest of a driver's first batches, and later
ones, which reuse compiled code, are as fast either way. They also run in one task, because more tasks cost more than
they save (`docs/explanation/performance.md`). The results are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.spark.cluster import cores
from airflow_nrt.engine.spark.temporary_settings import Settings, set_all, settings_of
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.home.log.splits import Split

MANY_ROWS = 50_000
"""From so many rows on, code is compiled."""
ROWS_OF_A_TASK = 50_000
ROWS_AT_ONCE = 2_000_000
"""With so many rows, a task can find distinct values in its share of the default memory of a local session."""
SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"
MOST_PARTITIONS = "spark.airflow_nrt.partitions"
"""The session's shuffle partitions by the user; unset if the user has set none: then the cores of the cluster count."""
_SPLITS = "spark.sql.files.minPartitionNum"
_STAGES, _FACTORY = "spark.sql.codegen.wholeStage", "spark.sql.codegen.factoryMode"
_TUNED = (SHUFFLE_PARTITIONS, _STAGES, _FACTORY, _SPLITS)


@dataclass(frozen=True)
class Tasks:
    """The number of tasks after each exchange of a plan."""

    count: int

    @property
    def is_one(self) -> bool:
        return self.count == 1

    def by_key(self, rows: DataFrame, keys: Sequence[str]) -> DataFrame:
        """The rows with those of a key in one task: one exchange for all following steps by key."""
        return rows if self.is_one or not keys else rows.repartition(*keys)

    def gathered(self, rows: DataFrame) -> DataFrame:
        """The rows after reading: few rows are in one task, so that no later step needs an exchange."""
        return rows.coalesce(1) if self.is_one else rows


ONE = Tasks(1)


def tune_for(spark: SparkSession, files: Iterable[Split | StateFile]) -> Tasks:
    """Tunes the following plans of the session for the number of rows in these files, which they read.

    No other work plans in it: it is that of the report, or of one piece of work alone.

    There are more tasks than the session's partitions, by a whole factor, if the rows would not fit into its memory.
    """
    return tune_for_rows(spark, _rows_in(files))


def tune_for_rows(spark: SparkSession, rows: int) -> Tasks:
    """As `tune_for`, for so many rows."""
    many = rows >= MANY_ROWS
    most = int(spark.conf.get(MOST_PARTITIONS, None) or cores(spark)) if rows >= ROWS_OF_A_TASK else 1
    partitions = min(1 + rows // ROWS_OF_A_TASK, most * max(1, math.ceil(rows / (most * ROWS_AT_ONCE))))
    tuned: Settings = {
        SHUFFLE_PARTITIONS: str(partitions),
        _STAGES: str(many).lower(),
        _FACTORY: "FALLBACK" if many else "NO_CODEGEN",
        _SPLITS: None if many else str(partitions),
    }
    set_all(spark, tuned)
    return Tasks(partitions)


class Tuning:
    """Tunes the plans of one batch after another. In between, the settings of the session are its own.

    `tasks` are those of the following plans.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.tasks = ONE
        self._spark = spark
        self._before: Settings = {}

    def tune_for(self, files: Iterable[Split | StateFile]) -> None:
        """As the function, until the next call or `restore`."""
        self.tune_for_rows(_rows_in(files))

    def tune_for_rows(self, rows: int) -> None:
        """As `tune_for`, for so many rows."""
        if not self._before:
            self._before = settings_of(self._spark, _TUNED)
        self.tasks = tune_for_rows(self._spark, rows)

    def restore(self) -> None:
        """Brings back the settings from before a batch."""
        before, self._before, self.tasks = self._before, {}, ONE
        set_all(self._spark, before)


def _rows_in(files: Iterable[Split | StateFile]) -> int:
    return sum(file.rows if isinstance(file, StateFile) else file.most_rows for file in files)
