"""A source of files as a Structured Streaming query: the stream is the journal of arrivals, its rows are file names.

Spark's own file source lists the whole directory at every trigger (1 s at 50,000 files), forgets files by age, and
keeps a position of its own. Here arrivals are found by `Arrivals`, and the log alone knows what was read; the query's
checkpoint is scratch, new for each epoch (docs/decisions/03-arrivals-journal.md).
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from airflow_nrt.engine.sources.arrivals import Arrivals
from airflow_nrt.engine.sources.filesystem import GLOB
from airflow_nrt.report.durable import replace_file
from airflow_nrt.report.entries import SourceFile
from airflow_nrt.report.options import source_option
from airflow_nrt.report.plan import Source

OnFiles = Callable[[str, list[SourceFile], bool], None]
"""Takes the files of a batch of a source, and whether the source ends with them."""
TURN = 100
"""Spark's file source remembers every file that it has ever read: after so many batches a new query takes over."""


class FileFeed:
    """Finds what arrives for one source and hands it on in batches: all that is there, up to the byte cap.

    `poll` is called again and again by one thread; `on_files` runs in the thread of the streaming query. A batch is
    written to the journal only when the one before was absorbed, so that a slow driver gets larger batches.
    """

    def __init__(self, source: Source, scratch: Path, seen: Iterable[str], on_files: OnFiles) -> None:
        options = source.table.options
        self.source = source
        self.interval: int | None = source_option(options, "source.monitor-interval")
        self.last_arrival = time.monotonic()
        self._arrivals = Arrivals(source.table.path, source_option(options, "source.path.regex-pattern"), seen)
        self._cap: int = source_option(options, "source.max-batch-size")
        self._scratch = scratch / source.name
        self._turn = 0
        self._on_files = on_files
        self._pending: deque[SourceFile] = deque()
        self._waiting = (0, 0)
        self._taken = (0, 0)
        self._batches = 0
        self._absorbed = 0
        self._next_poll = 0.0
        self._polled = False
        self.failure: BaseException | None = None
        self.query: StreamingQuery | None = None

    @property
    def is_bounded(self) -> bool:
        return self.interval is None

    @property
    def is_drained(self) -> bool:
        """Whether everything that the first look has found is absorbed, and nothing has come since."""
        return self._polled and not self._pending and self._absorbed == self._batches

    @property
    def pending(self) -> tuple[int, int]:
        """Files and bytes that have arrived and are not absorbed."""
        taken = self._taken if self._absorbed < self._batches else (0, 0)
        return self._waiting[0] + taken[0], self._waiting[1] + taken[1]

    def start(self, spark: SparkSession) -> None:
        """Begins a streaming query."""
        self._spark = spark
        self._turn = self._batches
        self._journal.mkdir(parents=True)
        arrivals = spark.readStream.option("maxFileAge", "100000d").text(str(self._journal).translate(GLOB))
        self.query = (
            arrivals.writeStream.queryName(f"arrivals of {self.source.name}")
            .option("checkpointLocation", str(self._journal.with_name("checkpoint")))
            .trigger(processingTime="0 seconds")
            .foreachBatch(self._absorb)
            .start()
        )

    @property
    def _journal(self) -> Path:
        return self._scratch / str(self._turn) / "journal"

    def poll(self) -> None:
        """Looks for arrivals if it is time to, and writes the next batch to the journal if the last one is absorbed."""
        if time.monotonic() >= self._next_poll and not (self.is_bounded and self._polled):
            found = self._arrivals.poll()
            self._polled = True
            self._next_poll = time.monotonic() + (self.interval or 0) / 1000
            if found:
                self.last_arrival = time.monotonic()
                self._pending.extend(found)
        if self._pending and self._absorbed == self._batches:
            if self._batches - self._turn >= TURN:
                self._begin_anew()
            self._batches += 1
            batch = take_batch(self._pending, self._cap)
            self._taken = _extent(batch)
            lines = "".join(json.dumps(asdict(file)) + "\n" for file in batch)
            replace_file(self._journal / f"{self._batches:09d}.json", lines.encode())
        self._waiting = _extent(self._pending)

    def _absorb(self, arrivals: DataFrame, batch: int) -> None:
        try:
            files = [SourceFile(**json.loads(row.value)) for row in arrivals.collect()]
            if files:
                files.sort(key=lambda file: (file.modified, file.path))
                self._on_files(self.source.name, files, self.is_bounded and not self._pending)
                self._absorbed += 1
        except BaseException as failure:
            # Not raised: whoever polls ends the query, and Spark has nothing to add. No batch follows this one.
            self.failure = failure

    def _begin_anew(self) -> None:
        journal = self._journal
        self.stop()
        self.start(self._spark)
        shutil.rmtree(journal.parent, ignore_errors=True)

    def stop(self) -> None:
        if self.query is not None:
            self.query.stop()


def take_batch(pending: deque[SourceFile], cap: int) -> list[SourceFile]:
    """The first files that wait, up to a number of bytes; one at least.

    More than that is taken in as few batches as can be, of about one size: what has been seen is looked through with
    each, however few rows the last of them has.
    """
    waiting = sum(file.size for file in pending)
    share = waiting / max(math.ceil(waiting / cap), 1)
    batch = [pending.popleft()]
    size = batch[0].size
    while pending and size + pending[0].size <= cap and size + pending[0].size / 2 <= share:
        batch.append(pending.popleft())
        size += batch[-1].size
    return batch


def _extent(files: Collection[SourceFile]) -> tuple[int, int]:
    return len(files), sum(file.size for file in files)
