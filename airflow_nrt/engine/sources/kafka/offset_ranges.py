"""Which ranges of a topic are read next: the driver chooses them, so that the log alone knows what was read."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.kafka.client import Client
from airflow_nrt.engine.sources.kafka.consumer_group import GroupOffsets
from airflow_nrt.engine.sources.kafka.retention import check_grows, check_same_topics, removed_unread, topic_of
from airflow_nrt.engine.sources.source import SplitEnumerator
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.model.connectors.kafka_options import (
    AT_OFFSETS,
    AT_TIME,
    BOUNDED,
    BOUNDED_OFFSETS,
    BOUNDED_TIME,
    COMMITTED,
    DISCOVERY,
    EARLIEST,
    GROUP,
    LATEST,
    STARTUP,
    STARTUP_OFFSETS,
    STARTUP_TIME,
    UNBOUNDED,
    kafka_option,
)
from airflow_nrt.model.tables import Table

BYTES_OF_A_RECORD = 200
"""Kafka does not say how large a range is."""
ROUND = 100_000
"""Records. So many are taken from all partitions together, each in proportion to what waits there."""
_MOST_ROUNDS = 1000


class Partitions(SplitEnumerator):
    """The partitions of a table's topics. A new one is read from its first record."""

    def __init__(self, spark: SparkSession, table: Table, read: Iterable[SourceRange]) -> None:
        self._table = table
        self._client = Client(spark, table)
        self._group = GroupOffsets(self._client, table)
        self._next: dict[str, int] = {}
        self._topic_ids: dict[str, str] = {}
        for one in read:
            self._next[one.part] = max(one.end, self._next.get(one.part, 0))
            if one.topic_id is not None:
                self._topic_ids[topic_of(one.part)] = one.topic_id
        self._is_new = not self._next
        self._known: list[str] = []
        self._discovery: int = kafka_option(table, DISCOVERY)
        self._next_discovery = 0.0
        self._limits: Mapping[str, int] | None = None

    def poll(self) -> list[Split]:
        self._group.look()
        begun = self.begin()
        if begun:
            # Where reading begins is in the log before anything is read: else a restart would ask for it again.
            return begun
        ends = self._ends()
        check_grows(self._table, self._next, ends)
        found = [*removed_unread(self._table, self._next, self._client.starts(ends))]
        self._next |= {one.part: one.end for one in found}
        waiting = {
            partition: (self._next[partition], max(end, self._next[partition])) for partition, end in ends.items()
        }
        found += rounds(waiting)
        self._next |= {partition: end for partition, (_, end) in waiting.items()}
        return list[Split](found)

    def begin(self) -> list[Split]:
        """Empty ranges of the partitions that are seen for the first time: where they are read from.

        Of a topic whose id is not known yet, one of its partitions has one.
        """
        new = self._discover()
        ids = self._client.topic_ids
        check_same_topics(self._table, self._topic_ids, ids)
        unknown = ids.keys() - self._topic_ids.keys()
        first = {topic_of(one): one for one in reversed(self._known) if topic_of(one) in unknown}
        begun = dict.fromkeys((*new, *first.values()))
        self._topic_ids |= {topic: ids[topic] for topic in unknown}
        return [
            SourceRange(one, at, at, 0, topic_id=ids[topic_of(one)] if one in first.values() else None)
            for one in begun
            for at in [self._next[one]]
        ]

    def in_order(self, batch: list[Split]) -> list[Split]:
        """One range of each partition, as far as they are next to each other."""
        return list[Split](joined(ranges_of(batch)))

    def close(self) -> None:
        self._group.close()
        self._client.close()

    def absorbed(self, splits: Iterable[Split]) -> None:
        self._group.read(ranges_of(splits))

    def _discover(self) -> list[str]:
        """Partitions that are seen for the first time, which then have a next offset."""
        now = time.monotonic()
        if self._known and (not self._discovery or now < self._next_discovery):
            return []
        self._next_discovery = now + self._discovery / 1000
        self._known = self._client.partitions()
        new = [partition for partition in self._known if partition not in self._next]
        if new:
            self._next |= self._beginnings(new) if self._is_new else self._client.starts(new)
        self._is_new = False
        return new

    def _beginnings(self, partitions: Sequence[str]) -> dict[str, int]:
        mode, options = kafka_option(self._table, STARTUP), self._table.options
        if mode == EARLIEST:
            return self._client.starts(partitions)
        if mode == LATEST:
            return self._client.ends(partitions)
        if mode == AT_TIME:
            return self._client.at_time(partitions, int(options[STARTUP_TIME]))
        if mode == COMMITTED:
            return self._chosen(partitions, self._client.committed(options[GROUP]), f"group {options[GROUP]!r} has")
        return self._chosen(partitions, self._specific(STARTUP_OFFSETS), f"'{STARTUP_OFFSETS}' has")

    def _ends(self) -> dict[str, int]:
        """The offsets up to which partitions can be read now."""
        ends = self._client.ends(self._known)
        mode, options = kafka_option(self._table, BOUNDED), self._table.options
        if mode in (UNBOUNDED, LATEST):
            return ends
        if self._limits is None:
            if mode == AT_TIME:
                self._limits = self._client.at_time(self._known, int(options[BOUNDED_TIME]))
            elif mode == AT_OFFSETS:
                self._limits = self._chosen(self._known, self._specific(BOUNDED_OFFSETS), f"'{BOUNDED_OFFSETS}' has")
            else:
                committed = self._client.committed(options[GROUP])
                self._limits = self._chosen(self._known, committed, f"group {options[GROUP]!r} has")
        return {partition: min(end, self._limits[partition]) for partition, end in ends.items()}

    def _specific(self, option: str) -> dict[str, int]:
        (topic,) = {partition.rpartition("-")[0] for partition in self._known}
        return {f"{topic}-{number}": offset for number, offset in kafka_option(self._table, option).items()}

    def _chosen(self, partitions: Iterable[str], offsets: Mapping[str, int], who: str) -> dict[str, int]:
        missing = [partition for partition in partitions if partition not in offsets]
        if missing:
            raise InputError(
                f"table {self._table.name!r}: {who} no offset of partition {missing[0]}: choose another '{STARTUP}' or "
                f"'{BOUNDED}'"
            )
        return {partition: offsets[partition] for partition in partitions}


def rounds(waiting: Mapping[str, tuple[int, int]]) -> Iterator[SourceRange]:
    """Cuts what waits into rounds, each with the same share of every partition: none runs ahead of the others."""
    records = sum(end - start for start, end in waiting.values())
    count = min(-(-records // ROUND), _MOST_ROUNDS)
    for n in range(count):
        for partition, (start, end) in waiting.items():
            of, to = (start + (end - start) * m // count for m in (n, n + 1))
            if of < to:
                yield SourceRange(partition, of, to, (to - of) * BYTES_OF_A_RECORD)


def joined(ranges: Iterable[SourceRange]) -> list[SourceRange]:
    """Ranges by partition and offset; those that touch become one."""
    found: list[SourceRange] = []
    for part, group in groupby(
        sorted(ranges, key=lambda one: (_place(one.part), one.start, one.end)), lambda one: one.part
    ):
        for one in group:
            last = found[-1] if found and found[-1].part == part else None
            if (
                last is not None
                and last.end == one.start
                and last.archive == one.archive
                and not (last.lost or one.lost)
                and one.topic_id is None
            ):
                found[-1] = replace(last, end=one.end, size=last.size + one.size)
            else:
                found.append(one)
    return found


def _place(part: str) -> tuple[str, int]:
    topic, _, number = part.rpartition("-")
    return topic, int(number)
