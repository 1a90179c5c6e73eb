"""The partitions of an archive, by the log: which files each has, and which of them are still to be merged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from airflow_nrt.basics.partition_pattern import PartitionTime
from airflow_nrt.home.log.entries import ARCHIVED, Entry
from airflow_nrt.home.log.fold.checkpoints import read_by
from airflow_nrt.home.log.fold.inputs import ArchivedFile
from airflow_nrt.home.log.log import Log

MANY = 8
"""So many files of single batches are merged. Fewer are left: merging costs as much as writing them did."""


@dataclass
class Partition:
    """A directory of an archive. `entry` is the last one that has changed it."""

    name: str
    start: int
    files: dict[str, ArchivedFile] = field(default_factory=dict)
    entry: int = -1

    @property
    def rows(self) -> int:
        return sum(one.rows for one in self.files.values())

    def to_merge(self) -> list[ArchivedFile]:
        """The files to replace by one: those of single batches, if they are many."""
        single = [one for one in self.files.values() if one.state == ARCHIVED]
        return single if len(single) >= MANY else []


class Partitions:
    """The partitions of the archive that this insert writes, by the entries of a log. `changed` are those whose files
    have changed; at first all may have."""

    def __init__(self, insert: str, time: PartitionTime, log: Log) -> None:
        self.insert = insert
        self.time = time
        self.changed: set[str] = set()
        self._log = log
        self._known: dict[str, Partition] = {}
        self._read = log.last
        for one in read_by(log).archived.values():
            if one.insert == insert:
                self._add(one)

    def follow(self) -> None:
        """Reads the entries that were appended since the last call."""
        for entry in self._log.entries(self._read + 1):
            self._note(entry)
            self._read = entry.n

    def complete(self, until: int) -> Iterator[Partition]:
        """The changed partitions that end at this time (ms) or before, the oldest first."""
        found = (self._known[name] for name in self.changed)
        ended = (one for one in found if one.start + self.time.length <= until)
        return iter(sorted(ended, key=lambda one: one.start))

    def _note(self, entry: Entry) -> None:
        for one in entry.published:
            if one.insert == self.insert:
                self._add(ArchivedFile.of(one, entry.n))
        for place in entry.removed:
            insert, _, target = place.partition("/")
            if insert == self.insert:
                self._of(target).files.pop(target, None)
                self._touch(target, entry.n)

    def _add(self, one: ArchivedFile) -> None:
        self._of(one.target).files[one.target] = one
        self._touch(one.target, one.entry)

    def _of(self, target: str) -> Partition:
        name = target.rpartition("/")[0]
        if name not in self._known:
            values = dict(key.split("=", 1) for key in name.split("/"))
            self._known[name] = Partition(name, self.time.time_of(values))
        return self._known[name]

    def _touch(self, target: str, entry: int) -> None:
        partition = self._of(target)
        partition.entry = max(partition.entry, entry)
        self.changed.add(partition.name)
