"""An entry of the log without what a driver needs to go on: neither its position, nor the files that it read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from airflow_nrt.home.log.entries import Commit, Entry, Fill, Lease, Left, Published, Restate
from airflow_nrt.home.log.named_files import NamedFiles


@dataclass(frozen=True)
class LeftOut:
    """Rows of a batch that are not in all results: how many missed windows, how many of them all windows; how many are
    rejected, by reason; and the ledger that has them, with its files, if the entry names them.

    `watermark` is the newest one by which rows were late.
    """

    late: int
    dropped: int
    rejected: Mapping[str, int]
    ledger: str | None
    watermark: int | None
    written: NamedFiles = field(default_factory=dict)


@dataclass(frozen=True)
class Batch:
    """A batch of so many `files`, or ranges, and `rows`. It `began` at a time (ms of the wall clock), and led to this
    watermark, the least of all operators."""

    began: int
    rows: int
    files: int
    watermark: int | None
    left_out: LeftOut | None = None


@dataclass(frozen=True)
class PastEntry:
    """An entry with its results. `body` is what else it says; None for a tick."""

    n: int
    time: int
    epoch: int | None
    published: tuple[Published, ...] = ()
    removed: tuple[str, ...] = ()
    body: Batch | Lease | Restate | Fill | Left | None = None

    @classmethod
    def of(cls, entry: Entry) -> PastEntry:
        body = entry.body
        kept = (
            body
            if isinstance(body, (Lease, Restate, Fill, Left))
            else _batch(body)
            if isinstance(body, Commit)
            else None
        )
        return cls(entry.n, entry.time, entry.epoch, entry.published, entry.removed, kept)

    def of_windows(self) -> PastEntry:
        """It without results that have no window."""
        if all(one.end is not None for one in self.published):
            return self
        return replace(self, published=tuple(one for one in self.published if one.end is not None))


def left_out_by(commit: Commit) -> LeftOut | None:
    """None if all of its rows count everywhere."""
    if not commit.late and not commit.rejected and commit.ledger is None:
        return None
    late, dropped = sum(one.late for one in commit.late), sum(one.dropped for one in commit.late)
    marks = (mark for mark in commit.seen.values() if mark is not None)
    files = {key: named for key, named in commit.written.items() if key.startswith(f"{commit.ledger}/")}
    return LeftOut(late, dropped, commit.rejected, commit.ledger, max(marks, default=None), files)


def _batch(commit: Commit) -> Batch:
    marks = (state.watermark for state in commit.position.operators.values() if state.watermark is not None)
    files = len(commit.files) + len(commit.ranges)
    return Batch(commit.clock, commit.rows, files, min(marks, default=None), left_out_by(commit))
