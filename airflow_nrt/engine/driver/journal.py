"""The journal of arrivals: a Structured Streaming query whose rows are the names of splits.

Spark's own file source lists the whole directory at every trigger (1 s at 50,000 files), forgets files by age, and
keeps a position of its own. Here `Arrivals` finds new files, and only the log knows what was read. The query's
checkpoint is scratch, new for each epoch (docs/decisions/03-arrivals-journal.md).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from airflow_nrt.engine.spark.paths import GLOB
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.log.splits import Split

TURN = 100
"""After so many batches a new query takes over, because Spark's file source remembers every file that it has read."""


class Journal:
    """Passes batches of splits, one at a time, to `on_splits` in the thread of the query."""

    def __init__(self, spark: SparkSession, name: str, scratch: Path, on_splits: Callable[[list[Split]], None]) -> None:
        self._spark = spark
        self._name = name
        self._scratch = scratch
        self._on_splits = on_splits
        self._batches = 0
        self._batch: list[Split] = []
        self._failure: BaseException | None = None
        self._query = self._begin()

    def write(self, batch: list[Split]) -> None:
        """Passes a batch on. The one before must be absorbed."""
        if self._batches and self._batches % TURN == 0:
            self.stop()
            old, self._query = self._place, self._begin()
            shutil.rmtree(old, ignore_errors=True)
        self._batches += 1
        self._batch = batch
        lines = "".join(json.dumps(asdict(split)) + "\n" for split in batch)
        replace_file(self._place / "journal" / f"{self._batches:09d}.json", lines.encode())

    def check(self) -> None:
        """Raises the failure of the query."""
        if self._failure is not None:
            raise self._failure
        if not self._query.isActive:
            raise self._query.exception() or RuntimeError(f"the query of {self._name} ended by itself")

    def stop(self) -> None:
        self._query.stop()

    def _begin(self) -> StreamingQuery:
        self._place = self._scratch / str(self._batches)
        journal = self._place / "journal"
        make_private(journal)
        arrivals = self._spark.readStream.option("maxFileAge", "100000d").text(str(journal).translate(GLOB))
        return (
            arrivals.writeStream.queryName(f"arrivals of {self._name}")
            .option("checkpointLocation", str(self._place / "checkpoint"))
            .trigger(processingTime="0 seconds")
            .foreachBatch(self._absorb)
            .start()
        )

    def _absorb(self, arrivals: DataFrame, number: int) -> None:
        try:
            # The splits are known here: reading them from Spark would cost a job for each batch.
            batch, self._batch = self._batch, []
            if batch:
                self._on_splits(batch)
        except BaseException as failure:
            # Not raised here: `check` raises it in the polling thread, which stops the query. No batch follows.
            self._failure = failure
