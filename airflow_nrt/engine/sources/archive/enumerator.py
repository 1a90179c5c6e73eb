"""What is read next of a topic that begins with an archive: batches as the other home read them, then new records."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from pyspark.sql import SparkSession

from airflow_nrt.engine.sources.archive.beginning import beginnings
from airflow_nrt.engine.sources.archive.content import opened
from airflow_nrt.engine.sources.kafka.offset_ranges import BYTES_OF_A_RECORD, ROUND, Partitions, joined
from airflow_nrt.engine.sources.source import SplitEnumerator
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.model.tables import Table

log = logging.getLogger(__name__)


class ArchiveThenTopic(SplitEnumerator):
    """The partitions of a topic. Where the archive begins and ends is decided once, by the ranges that are `read`."""

    def __init__(self, spark: SparkSession, table: Table, read: Iterable[SourceRange]) -> None:
        self._table = table
        ranges = list(read)
        self._begins = [] if ranges else beginnings(table)
        known = [*ranges, *self._begins]
        self._archives = {one.part: one.archive for one in known if one.archive is not None}
        self._done = {one.part: one.end for one in known if one.archive is not None}
        self._all = sum(one.archive.until - one.start for one in known if one.archive is not None and one.is_empty)
        self._is_listed = not self._records_left()
        ends = (SourceRange(part, one.until, one.until, 0) for part, one in self._archives.items())
        self._topic = Partitions(spark, table, [*ends, *ranges])

    def poll(self) -> list[Split]:
        if self._begins:
            begins, self._begins = self._begins, []
            return [*begins, *self._topic.begin()]
        found = [] if self._is_listed else [*self._rounds()]
        self._is_listed = True
        return [*found, *self._topic.poll()]

    def in_order(self, batch: list[Split]) -> list[Split]:
        return self._topic.in_order(batch)

    def absorbed(self, splits: Iterable[Split]) -> None:
        self._topic.absorbed(one for one in ranges_of(splits) if one.archive is None)
        archived = [one for one in ranges_of(splits) if one.archive is not None and not one.is_empty]
        self._done |= {one.part: one.end for one in archived}
        if archived:
            left = self._records_left()
            share = 100 * (self._all - left) // max(self._all, 1)
            log.info("%s: %s %% of the archive is read, %s records are left", self._table.name, share, f"{left:,}")

    def close(self) -> None:
        self._topic.close()

    def _records_left(self) -> int:
        return sum(one.until - self._done[part] for part, one in self._archives.items())

    def _rounds(self) -> Iterator[SourceRange]:
        """What is left of the archive. A round is so many of the other home's batches that it has enough records."""
        archive = next(iter(self._archives.values()))
        waiting: list[SourceRange] = []
        for batch in opened(archive).batches():
            waiting += [self._from_archive(one) for one in batch if self._is_left(one)]
            if sum(one.end - one.start for one in waiting) >= ROUND:
                yield from joined(waiting)
                waiting = []
        yield from joined(waiting)

    def _is_left(self, one: SourceRange) -> bool:
        archive = self._archives.get(one.part)
        return archive is not None and self._done[one.part] <= one.start < archive.until

    def _from_archive(self, one: SourceRange) -> SourceRange:
        size = (one.end - one.start) * BYTES_OF_A_RECORD
        return SourceRange(one.part, one.start, one.end, size, archive=self._archives[one.part])
