"""Completes the partitions of an archive: many files become one, and a file `_SUCCESS` says that they are complete.

A partition is complete once the watermark of its source has passed its end. Rows that come later are added as they
come: `_SUCCESS` is written again, and many small files are merged once more.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.archive.archive_partitions import Partition, Partitions
from airflow_nrt.engine.archive.merge import Merge
from airflow_nrt.engine.sinks.filesystem import SUCCESS
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.public_files import PUBLIC
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Position, Published
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.model.archive import partition_time
from airflow_nrt.model.plan import Source
from airflow_nrt.model.zones import wall_clock_passed

Replace = Callable[[Sequence[Published], Sequence[str]], None]
"""Decides on staged files, and on the places (`insert/place`) of those that they replace."""

log = logging.getLogger(__name__)


class ArchiveKeeper:
    """Keeps the archive that a stream writes of one source. A driver calls it between its batches."""

    def __init__(self, spark: SparkSession, home: Home, source: Source, writer: Writer) -> None:
        assert source.archive is not None
        self._spark = spark
        self._home = home
        self._source = source
        self._writer = writer
        self._insert = source.archive.insert
        self._root = Path(self._insert.sink.path.removeprefix("file://"))
        self._partitions = Partitions(self._insert.name, partition_time(source.archive), writer.log)
        self._merge: Merge | None = None
        self._unmerged: set[str] = set()

    def step(self, position: Position, replace: Replace) -> None:
        """Marks complete partitions, takes over what was merged meanwhile, and begins to merge the next one."""
        self._partitions.follow()
        if self._merge is not None:
            if not self._merge.is_done:
                return
            merge, self._merge = self._merge, None
            self._take(merge, replace)
            self._partitions.follow()
        for partition in self._partitions.complete(self._until(position)):
            if not (self._root / partition.name).is_dir():
                # Its owner has removed it: an archive keeps as much of the past as somebody wants.
                self._partitions.changed.discard(partition.name)
                continue
            files = partition.to_merge() if partition.name not in self._unmerged else []
            if files:
                self._merge = Merge(self._spark, self._home, self._insert, self._writer.epoch, self._root, files)
                return
            self._mark(partition)
            self._partitions.changed.discard(partition.name)

    def finish(self, position: Position, replace: Replace) -> None:
        """Completes all partitions that are complete by now."""
        self.step(position, replace)
        while self._merge is not None:
            self._merge.wait()
            self.step(position, replace)

    def _until(self, position: Position) -> int:
        """The time (ms, on the windows' clock) up to which rows have come."""
        state = position.sources[self._source.name]
        if state.ended:
            return END_OF_TIME
        return -END_OF_TIME if state.watermark is None else wall_clock_passed(state.watermark, self._source.zone)

    def _take(self, merge: Merge, replace: Replace) -> None:
        directory = merge.files[0].target.rpartition("/")[0]
        if merge.failure is not None:
            # The archive is whole without it, so the stream goes on.
            log.warning("%s: the files of %s are not merged: %s", self._insert.name, directory, merge.failure)
            self._unmerged.add(directory)
            return
        # Until it is marked again, readers that wait for the mark don't see the files and what replaces them together.
        (self._root / directory / SUCCESS).unlink(missing_ok=True)
        replace(merge.staged, [f"{self._insert.name}/{one.target}" for one in merge.files])

    def _mark(self, partition: Partition) -> None:
        content = {"entry": partition.entry, "files": len(partition.files), "rows": partition.rows}
        text = f"{json.dumps(content)}\n".encode()
        file = self._root / partition.name / SUCCESS
        if not file.is_file() or file.read_bytes() != text:
            replace_file(file, text, PUBLIC)
