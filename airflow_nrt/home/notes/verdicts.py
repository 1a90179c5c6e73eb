"""The results of verifications, window by window: `notes/verdicts/<time in ms>-<log entry>.json`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.describe.verdict import Verdict
from airflow_nrt.files.formats import Format
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import VERDICTS
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

EQUAL, EXPLAINED, MISMATCH, DIFFERENT = "equal", "explained", "mismatch", "different"
SET_BY_HAND = "set by hand"
_MOST_ENDS = 10_000
_MOST_BYTES = 4 * 1024 * 1024
_FORMAT = Format("the verdict")


@dataclass(frozen=True)
class DifferentWindows:
    """The ends (ms) of the windows of one insert that are `different` in the batch, and of the `unexplained` ones.

    `all_named` if the lists are complete. `histories` say since when windows are wrong, by their ends. Those that are
    `pinned` are as somebody has set them.
    """

    different: tuple[int, ...]
    unexplained: tuple[int, ...]
    all_named: bool
    histories: Mapping[int, str] = field(default_factory=dict)
    pinned: tuple[int, ...] = ()


@dataclass(frozen=True)
class KeptVerdict:
    """A verification at a time (ms), up to a log entry, of windows with `start < end of window <= end`."""

    at: int
    entry: int
    start: int | None
    end: int | None
    proven: bool
    windows: int
    equal: int
    explained: int
    unexplained: int
    inserts: Mapping[str, DifferentWindows] = field(default_factory=dict)

    @classmethod
    def of(cls, verdict: Verdict, at: int) -> KeptVerdict:
        inserts = {}
        for one in verdict.inserts:
            bad = tuple(window.end for window in one.bad if window.end is not None)
            told = {window.end: window.history.text for window in one.bad if window.history and window.end is not None}
            ends = one.unequal_ends[-_MOST_ENDS:]
            pinned = tuple(window.end for window in one.pinned)
            inserts[one.insert] = DifferentWindows(ends, bad, one.unexplained <= len(bad), told, pinned)
        counts = (verdict.windows, verdict.equal, verdict.explained, verdict.unexplained)
        # It says nothing of windows that can't be proven.
        known = (verdict.start, *verdict.unprovable.values())
        start = max((one for one in known if one is not None), default=None)
        return cls(at, verdict.entry, start, verdict.end, verdict.holds, *counts, inserts)

    @property
    def is_proven(self) -> bool:
        return self.proven

    def of_window(self, insert: str, end: int, entry: int) -> str | None:
        """The verdict about a window whose last version is from this log entry; None if that came later."""
        inside = (self.start is None or self.start < end) and (self.end is None or end <= self.end)
        found = self.inserts.get(insert)
        if not inside or entry > self.entry or found is None:
            return None
        if end in found.pinned:
            return SET_BY_HAND
        if end not in found.different:
            return EQUAL
        if end in found.unexplained:
            return MISMATCH
        return EXPLAINED if found.all_named else DIFFERENT

    def history_of(self, insert: str, end: int) -> str | None:
        """Since when a window is wrong, None if that is not known."""
        return self.inserts[insert].histories.get(end) if insert in self.inserts else None


def keep_verdict(home: Home, verdict: Verdict) -> None:
    """Writes it, and removes the oldest ones. A home that can't be written keeps none."""
    kept = KeptVerdict.of(verdict, now_ms())
    with suppress(OSError, HomeError):
        home.verdicts.make()
        (home.verdicts / f"{kept.at:015d}-{kept.entry}.json").replace(record_bytes(_FORMAT, kept))
        for name in _newest_first(home)[VERDICTS:]:
            (home.verdicts / name).delete()


def kept_verdicts(home: Home, known: Mapping[str, KeptVerdict]) -> dict[str, KeptVerdict]:
    """The verdicts by file name, newest first; `known` ones are not read again. Unreadable ones are left out."""
    found = {}
    for name in _newest_first(home)[:VERDICTS]:
        with suppress(OSError, HomeError):
            found[name] = known.get(name) or _read(home.verdicts / name)
    return found


def _read(path: StorePath) -> KeptVerdict:
    return read_record(path, _FORMAT, KeptVerdict, _MOST_BYTES)


def _newest_first(home: Home) -> list[str]:
    with suppress(OSError):
        return sorted((name for name in home.verdicts.names() if name.endswith(".json")), reverse=True)
    return []
