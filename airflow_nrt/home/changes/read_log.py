"""What a log says about the past of a home: which pieces of its sources were read, with how many rows, how fast."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.home.changes.reach import Speed
from airflow_nrt.home.log.entries import Commit, Entry, SourceState
from airflow_nrt.home.log.fold.checkpoints import read_below
from airflow_nrt.home.log.history.archived_files import EntriesOf, note_archived
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.splits import Split


@dataclass(frozen=True)
class Read:
    """Pieces of a source that were read together, by the entry `n` (-1: by entries that are removed).

    `watermark` is that of the source afterwards, also of its foremost part; `clock` the processing time.
    """

    n: int
    splits: tuple[Split, ...]
    rows: int
    watermark: int | None
    clock: int | None


@dataclass
class LogRead:
    """By source what was `read`, in its order; by insert the start of its first published window (ms); `archived` as in
    `archived_files.py`."""

    read: dict[str, list[Read]] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    archived: EntriesOf = field(default_factory=dict)
    speed: Speed | None = None


def read_log(log: Log) -> LogRead:
    """Reads all entries that stand, once. Raises HomeError."""
    found, beginning = LogRead(), log.beginning().state
    for source, splits in read_below(log).items():
        state = beginning.position.sources.get(source, SourceState())
        found.read[source] = [Read(-1, tuple(splits), state.rows, _foremost(state), beginning.clock)]
    batches: list[tuple[int, int]] = []
    for entry, took in _timed(log.audit()):
        body = entry.body
        note_archived(found.archived, entry)
        for one in entry.published:
            if one.start is not None:
                found.first[one.insert] = min(one.start, found.first.get(one.insert, END_OF_TIME))
        if isinstance(body, Commit):
            mark = _foremost(body.position.sources.get(body.source, SourceState()))
            found.read.setdefault(body.source, []).append(Read(entry.n, body.splits, body.rows, mark, body.clock))
            if took is not None and body.rows:
                batches.append((body.rows, took))
    found.speed = _speed(batches)
    return found


def _timed(entries: Iterator[Entry]) -> Iterator[tuple[Entry, int | None]]:
    """The entries, each with the milliseconds since the entry before it, if that is of the same driver."""
    before: Entry | None = None
    for entry in entries:
        is_next = before is not None and before.epoch is not None and before.epoch == entry.epoch
        yield entry, entry.time - before.time if before is not None and is_next else None
        before = entry


def _speed(batches: list[tuple[int, int]]) -> Speed | None:
    """That of batches which are at least half as large as the largest: smaller ones wait for rows."""
    most = max((rows for rows, _ in batches), default=0)
    large = [(rows, ms) for rows, ms in batches if 2 * rows >= most and ms > 0]
    return Speed(sum(rows for rows, _ in large), sum(ms for _, ms in large), len(large)) if large else None


def _foremost(state: SourceState) -> int | None:
    """No part of a source is ahead of this watermark."""
    marks = [one for one in (state.watermark, *(part.watermark for part in state.parts.values())) if one is not None]
    return max(marks, default=None)
