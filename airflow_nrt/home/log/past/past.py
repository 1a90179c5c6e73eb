"""The past of a log, range by range: from the files beside its checkpoints, and from its entries where there is none.

    checkpoints/8191.past.gz      of the entries up to this one
    checkpoints/16383.past.gz

A file repeats what entries say that stand. It counts if it is a link of the chain that ends at the newest checkpoint:
so one of another log, such as after a home was put back from a copy, is passed over.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, TypeVar

from airflow_nrt.basics.errors import HomeError, RetainedError
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.home.log.checkpoint import Checkpoint
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.fold.checkpoints import DISTANCE, newest_checkpoint
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.past.past_entry import Batch, LeftOut, PastEntry, left_out_by
from airflow_nrt.home.log.past.past_file import PastFile, write_past
from airflow_nrt.home.store.store_path import StorePath

_AT_ONCE = 8
"""How many files are written between two batches, of ranges that an earlier version has left without."""
_Found = TypeVar("_Found")

logger = logging.getLogger(__name__)


class Range(Protocol):
    """A range of entries. Each method raises HomeError if one can't be read."""

    def left_out(self) -> Iterator[tuple[int, LeftOut]]:
        """By commit, the rows that are left out."""

    def results(self) -> Iterator[PastEntry]:
        """The entries with results, and some without; commits without their batches."""

    def entries(self) -> Iterator[PastEntry]:
        """All entries; of results only those of windows."""


@dataclass(frozen=True)
class _OfEntries:
    """A range without a file."""

    log: Log
    first: int
    last: int

    def left_out(self) -> Iterator[tuple[int, LeftOut]]:
        for entry in self.log.entries(self.first, self.last):
            left_out = left_out_by(entry.body) if isinstance(entry.body, Commit) else None
            if left_out is not None:
                yield entry.n, left_out

    def results(self) -> Iterator[PastEntry]:
        return map(PastEntry.of, self.log.entries(self.first, self.last))

    def entries(self) -> Iterator[PastEntry]:
        return map(PastEntry.of_windows, self.results())


def past_entries(log: Log, first: int | None = None) -> Iterator[PastEntry]:
    """All entries from this one on, by default from the first that stands; of results only those of windows. Raises
    HomeError."""
    start = log.first if first is None else first
    return _while_it_stands(entry for one in _ranges(log, start) for entry in one.entries() if entry.n >= start)


def past_results(log: Log) -> Iterator[PastEntry]:
    """The entries with results, and some without, in order; commits without their batches. Raises HomeError."""
    return _while_it_stands(entry for one in _ranges(log, log.first) for entry in one.results())


def rows_left_out(log: Log) -> Iterator[tuple[int, LeftOut]]:
    """By commit, the rows that are left out. Raises HomeError."""
    return _while_it_stands(found for one in _ranges(log, log.first) for found in one.left_out())


def write_missing_past(log: Log) -> None:
    """Writes files of ranges that end at checkpoints, the newest first; only for a driver with a lease. What can't be
    written is left to the next one."""
    checkpoint, written = newest_checkpoint(log), 0
    id_ = checkpoint.state.id
    for first, last in reversed(_bounds(log, checkpoint)):
        file = _opened(log, first, last, id_)
        if file is None:
            if written == _AT_ONCE:
                return
            try:
                _write(log, first, last)
            except OSError as wrong:
                logger.warning("%s can't be written, and its entries are read instead: %s", _path(log, last), wrong)
                return
            written += 1
        id_ = _id_before(log, first) if file is None else file.head.before


def check_past(log: Log) -> None:
    """Compares the files with the log, which is read whole. Raises HomeError if they disagree."""
    for file in _files(log):
        head = file.head
        of_log = _OfEntries(log, head.first, head.last)
        results = (one for one in of_log.results() if _has_results(one))
        said = [*filter(_has_results, file.results())], [*file.entries()], [*file.left_out()]
        if said != ([*map(_without_batch, results)], [*of_log.entries()], [*of_log.left_out()]):
            raise HomeError(f"{file.path} says something else than the log: take it away")


def _has_results(one: PastEntry) -> bool:
    return bool(one.published or one.removed)


def _without_batch(one: PastEntry) -> PastEntry:
    return replace(one, body=None) if isinstance(one.body, Batch) else one


def remove_past_below(log: Log) -> None:
    """Removes the files of entries below the floor. Raises OSError."""
    for path in _directory(log).below(_SUFFIX):
        last = number_of(path.name.removesuffix(_SUFFIX))
        if last is not None and last < log.first:
            path.delete()


def _while_it_stands(found: Iterator[_Found]) -> Iterator[_Found]:
    try:
        yield from found
    except RetainedError as gone:
        raise RetainedError(f"{gone}. It was removed while it was read: ask again") from None


def _ranges(log: Log, first: int) -> Iterator[Range]:
    """From the entry `first` to the last one."""
    if log.last - first < DISTANCE:
        # To look for files takes longer.
        yield _OfEntries(log, first, log.last)
        return
    next_one = first
    for file in _files(log, first):
        if file.head.first > next_one:
            yield _OfEntries(log, next_one, file.head.first - 1)
        yield file
        next_one = file.head.last + 1
    yield _OfEntries(log, next_one, log.last)


def _files(log: Log, first: int = 0) -> list[PastFile]:
    """The files that count, of ranges that end at this entry or later, in order."""
    checkpoint, found = newest_checkpoint(log), list[PastFile]()
    id_ = checkpoint.state.id
    for start, last in reversed(_bounds(log, checkpoint)):
        file = _opened(log, start, last, id_) if last >= first else None
        if file is None:
            break
        found.append(file)
        id_ = file.head.before
    return found[::-1]


def _opened(log: Log, first: int, last: int, id_: str) -> PastFile | None:
    """The file of these entries, if the last one of them has this id; None without one."""
    try:
        file = PastFile.open(_path(log, last))
    except FileNotFoundError:
        return None
    except HomeError as wrong:
        logger.warning("%s: its entries are read instead", wrong)
        return None
    if (file.head.first, file.head.last, file.head.id) == (first, last, id_):
        return file
    logger.warning("%s is of another log: its entries are read instead", file.path)
    return None


def _write(log: Log, first: int, last: int) -> None:
    write_past(_path(log, last), _id_before(log, first), list(log.entries(first, last)))


def _bounds(log: Log, checkpoint: Checkpoint) -> list[tuple[int, int]]:
    """The ranges of entries that stand, and end at checkpoints."""
    lasts = [log.first - 1, *(one.last for one in checkpoint.inputs if one.last >= log.first)]
    return [(before + 1, last) for before, last in pairwise(lasts)]


def _id_before(log: Log, first: int) -> str:
    return log.read(first - 1).id if first > log.first else log.beginning().state.id


_SUFFIX = ".past.gz"


def _path(log: Log, last: int) -> StorePath:
    return _directory(log) / f"{last}{_SUFFIX}"


def _directory(log: Log) -> StorePath:
    return log.directory.parent / "checkpoints"
