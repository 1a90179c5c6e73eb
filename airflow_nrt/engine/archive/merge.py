"""Merging the files of a partition in a thread of its own, so that no batch waits for it."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.result_files import read_results
from airflow_nrt.engine.sources.place import FILE
from airflow_nrt.engine.spark.own_session import own_session
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import COMPACTED, Published
from airflow_nrt.home.log.fold.inputs import ArchivedFile
from airflow_nrt.home.written.directory_names import new_name
from airflow_nrt.model.archive import OFFSET, PARTITION
from airflow_nrt.model.plan import Insert

_BYTES_OF_A_FILE = 256 * 1024 * 1024


class Merge:
    """Stages what replaces these `files` of an archive below `root`."""

    def __init__(
        self, spark: SparkSession, home: Home, insert: Insert, epoch: int, root: Path, files: Sequence[ArchivedFile]
    ) -> None:
        self.files = tuple(files)
        self.failure: Exception | None = None
        self.staged: list[Published] = []
        # The batches go on meanwhile in that of the report, with settings of theirs.
        self._spark = own_session(spark)
        self._insert = insert
        self._root = root
        self._directory = home.staged.local / new_name(epoch)
        # A daemon: a driver that stops does not wait for it, and the next one begins it again.
        self._thread = threading.Thread(target=self._run, name=f"merging {insert.name}", daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        return not self._thread.is_alive()

    def wait(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        try:
            paths = [self._root / one.target for one in self.files]
            count = math.ceil(sum(path.stat().st_size for path in paths) / _BYTES_OF_A_FILE)
            rows = read_results(self._spark, self._insert.sink, self._root, paths).drop(FILE)
            ordered = rows.coalesce(max(count, 1)).sortWithinPartitions(PARTITION, OFFSET)
            staged = sink_of(self._insert).stage(ordered, self._insert, self._directory, COMPACTED, 1)
            self.staged = list(staged)
            before, after = (sum(one.rows for one in some) for some in (self.files, self.staged))
            if before != after:
                raise ValueError(f"{after} rows instead of {before}")
        except Exception as failure:
            self.failure = failure
