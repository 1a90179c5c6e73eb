"""How Spark runs the plans of a batch, by the number of rows that it reads.

Few rows are interpreted: to compile the first batches of a driver takes longer than all the rest, and later ones, which
find the code of the one before, are as fast either way. They also go through one task: each further one costs more than
it saves (`docs/explanation/performance.md`). The rows are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.spark.cluster import cores
from airflow_nrt.home.log.entries import Split, StateFile

MANY_ROWS = 50_000
"""So many are worth compiled code."""
ROWS_OF_A_TASK = 50_000
ROWS_AT_ONCE = 2_000_000
"""Of so many a task finds the distinct values in its share of the memory that a local session has by default."""
SHUFFLE_PARTITIONS = "spark.sql.shuffle.partitions"
MOST_PARTITIONS = "spark.airflow_nrt.partitions"
"""The session's shuffle partitions as the user chose them; unset on a cluster that may grow, where its cores count."""
_SPLITS = "spark.sql.files.minPartitionNum"
_BYTES_OF_A_ROW = 20
"""Of a short one: where it can't be known, there are rather many rows."""


@dataclass(frozen=True)
class Tasks:
    """How many tasks the rows of a plan go through, whenever they are exchanged."""

    count: int

    @property
    def is_one(self) -> bool:
        return self.count == 1

    def by_key(self, rows: DataFrame, keys: Sequence[str]) -> DataFrame:
        """The rows, those of a key in one task: one exchange serves whatever is computed by key from here on."""
        return rows if self.is_one or not keys else rows.repartition(*keys)

    def gathered(self, rows: DataFrame) -> DataFrame:
        """Rows as they are read: few of them in one task, so that no later step has to exchange them."""
        return rows.coalesce(1) if self.is_one else rows


ONE = Tasks(1)


def suit(spark: SparkSession, files: Iterable[Split | StateFile]) -> Tasks:
    """From now on the session's plans are run as it suits the rows in these files, which they read.

    More tasks than the session's partitions, several times as many, are for rows that would not fit into its memory.
    """
    rows = sum(file.rows if isinstance(file, StateFile) else file.size // _BYTES_OF_A_ROW for file in files)
    many = rows >= MANY_ROWS
    most = int(spark.conf.get(MOST_PARTITIONS, None) or cores(spark)) if many else 1
    partitions = min(1 + rows // ROWS_OF_A_TASK, most * max(1, math.ceil(rows / (most * ROWS_AT_ONCE))))
    spark.conf.set(SHUFFLE_PARTITIONS, partitions)
    spark.conf.set("spark.sql.codegen.wholeStage", str(many).lower())
    spark.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if many else "NO_CODEGEN")
    if many:
        spark.conf.unset(_SPLITS)
    else:
        spark.conf.set(_SPLITS, partitions)
    return Tasks(partitions)
