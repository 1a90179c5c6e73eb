"""The log of a home as the page needs it: versions of windows, batches and events, folded entry by entry."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from airflow_nrt.basics.texts import counted
from airflow_nrt.home.log.entries import Fill, Lease, Published, Restate
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.log.past.past import past_entries
from airflow_nrt.home.log.past.past_entry import Batch as PastBatch
from airflow_nrt.home.log.past.past_entry import PastEntry
from airflow_nrt.home.replaced.kept_rows import REPLACED

MOST_ENTRIES = 60_000
"""The most batches, the newest ones. A curve every ten minutes writes 300 a day."""


@dataclass(frozen=True)
class Version:
    """One version of a window. `state` and `checksum` as in `Published`; `reason`, `by` and `cause` are those of a
    restatement. `kept` is the directory of its rows below the home, if a restatement that has replaced it kept them."""

    entry: int
    time: int
    epoch: int | None
    start: int | None
    state: str
    rows: int
    checksum: str
    reason: str | None
    by: str | None = None
    cause: str = ""
    kept: str | None = None


@dataclass(frozen=True)
class Batch:
    """One micro-batch; times in ms of the wall clock, the watermark of the report's clock. `windows` fired after it."""

    time: int
    began: int
    rows: int
    late: int
    files: int
    watermark: int | None
    windows: int = 0


@dataclass(frozen=True)
class LateBatch:
    """A batch with late rows, and the files of its ledger. `watermark` is the newest one by which they were late."""

    ledger: str
    watermark: int
    late: int
    written: NamedFiles


@dataclass(frozen=True)
class Event:
    """A driver began, or windows were restated, or an added table was filled with some."""

    time: int
    kind: str
    epoch: int | None
    text: str


Windows = dict[int, list[Version]]
"""Versions of windows by end, oldest version first."""


@dataclass
class Facts:
    """The facts of the log up to entry `last`. `first` is the oldest entry that was read."""

    first: int = 0
    last: int = -1
    windows: dict[str, Windows] = field(default_factory=dict)
    batches: list[Batch] = field(default_factory=list)
    late: list[LateBatch] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    _window_of: dict[str, tuple[str, int]] = field(default_factory=dict)
    _files_of: dict[tuple[str, int], set[str]] = field(default_factory=dict)

    def follow(self, log: Log) -> None:
        """Reads the entries that were written since. Raises HomeError."""
        if self.last + 1 < log.first:
            # New, or its entries are removed: it begins anew where the log does.
            vars(self).update(vars(Facts()))
        if self.last < 0:
            self.first = max(log.first, log.last + 1 - MOST_ENTRIES)
            self.last = self.first - 1
        for entry in past_entries(log, self.last + 1):
            self._add(entry)
            self.last = entry.n

    def _add(self, entry: PastEntry) -> None:
        body, time, epoch = entry.body, entry.time, entry.epoch
        fired = self._publish(entry)
        for target in entry.removed:
            self._remove(target)
        if isinstance(body, Lease):
            text = f"driver of epoch {epoch} began: process {body.pid} on {body.host}"
            self.events.append(Event(time, "restart" if (epoch or 0) > 1 else "start", epoch, text))
        elif isinstance(body, Restate):
            kind = body.reason if body.reason in ("repair", "undo") else "backfill"
            text = f"{_windows(fired)} set by hand" if kind == "undo" else f"{_windows(fired)} restated by a {kind}"
            self.events.append(Event(time, kind, None, text))
        elif isinstance(body, Fill):
            text = f"{body.insert} filled from {body.twin}: {_windows(fired)}"
            self.events.append(Event(time, "fill", epoch, text))
        elif isinstance(body, PastBatch):
            self._commit(time, body)
        elif fired and self.batches:
            last = self.batches[-1]
            self.batches[-1] = replace(last, windows=last.windows + fired)

    def _commit(self, time: int, batch: PastBatch) -> None:
        left_out = batch.left_out
        late = 0 if left_out is None else left_out.late
        self.batches.append(Batch(time, batch.began, batch.rows, late, batch.files, batch.watermark))
        if left_out is not None and late and left_out.ledger is not None:
            self.late.append(LateBatch(left_out.ledger, left_out.watermark or 0, late, left_out.written))

    def _publish(self, entry: PastEntry) -> int:
        """How many windows its files are of."""
        fired = set()
        restate = entry.body if isinstance(entry.body, Restate) else None
        for one in entry.published:
            if one.end is None:
                continue
            window, version = (one.insert, one.end), _version(entry, one, restate)
            versions = self.windows.setdefault(one.insert, {}).setdefault(one.end, [])
            if versions and versions[-1].entry == entry.n:
                # A window has a file in each partition.
                versions[-1] = _joined(versions[-1], version)
            else:
                if versions and restate is not None:
                    versions[-1] = replace(versions[-1], kept=_kept(restate, one.insert))
                versions.append(version)
            fired.add(window)
            if one.target:
                self._window_of[f"{one.insert}/{one.target}"] = window
                self._files_of.setdefault(window, set()).add(f"{one.insert}/{one.target}")
        return len(fired)

    def _remove(self, target: str) -> None:
        """A window is gone with its last file."""
        window = self._window_of.pop(target, None)
        if window is not None:
            self._files_of[window].discard(target)
            if not self._files_of[window]:
                del self._files_of[window]
                self.windows[window[0]].pop(window[1], None)


def _version(entry: PastEntry, one: Published, restate: Restate | None) -> Version:
    found = Version(entry.n, entry.time, entry.epoch, one.start, one.state, one.rows, one.checksum, None)
    if restate is None:
        return found
    by = None if restate.by is None else str(restate.by)
    return replace(found, reason=restate.reason, by=by, cause=restate.cause)


def _kept(restate: Restate, insert: str) -> str | None:
    return next((key for key in restate.kept if key.split("/")[2:] == [REPLACED, insert]), None)


def _joined(a: Version, b: Version) -> Version:
    checksum = a.checksum if a.checksum.endswith(" …") else f"{a.checksum} …"
    return replace(a, rows=a.rows + b.rows, checksum=checksum)


def _windows(count: int) -> str:
    return counted(count, "window")
