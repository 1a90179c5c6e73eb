"""The log of a home as the page needs it: versions of windows, batches and events, folded entry by entry.

Entries are read as JSON with the few fields that are shown: to type all of their position takes three times as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.texts import counted
from airflow_nrt.files.decoding import parse_json
from airflow_nrt.home.log.log import Log

MOST_ENTRIES = 60_000
"""The most batches, the newest ones. A curve every ten minutes writes 300 a day."""


@dataclass(frozen=True)
class Version:
    """One version of a window. `state` and `checksum` as in `Published`; `reason` is that of a restatement."""

    entry: int
    time: int
    epoch: int | None
    start: int | None
    state: str
    rows: int
    checksum: str
    reason: str | None


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
    """A batch with late rows. `watermark` is the newest one by which they were late."""

    ledger: str
    watermark: int
    late: int


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
        for n in range(self.last + 1, log.last + 1):
            try:
                self._add(n, parse_json(log.content(n)))
            except (ValueError, TypeError, LookupError, AttributeError):
                raise HomeError(f"log entry {n} of {log.directory} is not readable") from None
            self.last = n

    def _add(self, n: int, entry: Mapping[str, Any]) -> None:
        time, epoch, kind = _whole(entry["time"]), _maybe(entry["epoch"]), entry["kind"]
        reason = _text(entry["reason"]) if kind == "restate" else None
        fired = self._publish(n, time, epoch, reason, entry.get("published") or ())
        for target in entry.get("removed") or ():
            self._remove(target)
        if kind == "lease":
            self._begin(time, epoch, entry)
        elif kind == "restate":
            self.events.append(
                Event(time, _kind_of(reason), None, f"{_windows(fired)} restated by a {_kind_of(reason)}")
            )
        elif kind == "fill":
            text = f"{_text(entry['insert'])} filled from {_text(entry['twin'])}: {_windows(fired)}"
            self.events.append(Event(time, "fill", epoch, text))
        elif kind == "commit":
            self._commit(time, entry)
        elif kind == "tick" and fired and self.batches:
            self._fire(fired)

    def _begin(self, time: int, epoch: int | None, lease: Mapping[str, Any]) -> None:
        again = (epoch or 0) > 1
        text = f"driver of epoch {epoch} began: process {_whole(lease['pid'])} on {_text(lease['host'])}"
        self.events.append(Event(time, "restart" if again else "start", epoch, text))

    def _commit(self, time: int, commit: Mapping[str, Any]) -> None:
        position = commit["position"]
        marks = [one.get("watermark") for one in position["operators"].values()]
        late = sum(_whole(one["late"]) for one in commit["late"])
        watermark = min((_whole(mark) for mark in marks if mark is not None), default=None)
        batch = Batch(
            time,
            _whole(commit["clock"]),
            _whole(commit["rows"]),
            late,
            len(commit["files"]) + len(commit.get("ranges", ())),
            watermark,
        )
        self.batches.append(batch)
        if late and commit["ledger"] is not None:
            watermark = max((_whole(mark) for mark in commit["seen"].values() if mark is not None), default=0)
            self.late.append(LateBatch(_text(commit["ledger"]), watermark, late))

    def _fire(self, fired: int) -> None:
        last = self.batches[-1]
        self.batches[-1] = Batch(
            last.time, last.began, last.rows, last.late, last.files, last.watermark, last.windows + fired
        )

    def _publish(self, n: int, time: int, epoch: int | None, reason: str | None, published: Any) -> int:
        """How many windows these files are of."""
        fired = set()
        for insert, end, version, target in _versions(n, time, epoch, reason, published):
            versions = self.windows.setdefault(insert, {}).setdefault(end, [])
            if versions and versions[-1].entry == n:
                # A window has a file in each partition.
                versions[-1] = _joined(versions[-1], version)
            else:
                versions.append(version)
            fired.add((insert, end))
            if target:
                self._window_of[f"{insert}/{target}"] = (insert, end)
                self._files_of.setdefault((insert, end), set()).add(f"{insert}/{target}")
        return len(fired)

    def _remove(self, target: str) -> None:
        """A window is gone with its last file."""
        window = self._window_of.pop(target, None)
        if window is not None:
            self._files_of[window].discard(target)
            if not self._files_of[window]:
                del self._files_of[window]
                self.windows[window[0]].pop(window[1], None)


def _versions(
    n: int, time: int, epoch: int | None, reason: str | None, published: Any
) -> Iterator[tuple[str, int, Version, str]]:
    for one in published:
        end = one["end"]
        if end is not None:
            state, rows, checksum = _text(one["state"]), _whole(one["rows"]), _text(one["checksum"])
            version = Version(n, time, epoch, _maybe(one["start"]), state, rows, checksum, reason)
            yield _text(one["insert"]), _whole(end), version, _text(one["target"])


def _joined(a: Version, b: Version) -> Version:
    checksum = a.checksum if a.checksum.endswith(" …") else f"{a.checksum} …"
    return Version(a.entry, a.time, a.epoch, a.start, a.state, a.rows + b.rows, checksum, a.reason)


def _windows(count: int) -> str:
    return counted(count, "window")


def _kind_of(reason: str | None) -> str:
    return "repair" if reason == "repair" else "backfill"


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("it is no whole number")
    return value


def _maybe(value: Any) -> int | None:
    return None if value is None else _whole(value)


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("it is no text")
    return value
