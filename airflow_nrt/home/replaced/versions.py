"""The versions that windows have had, as the log says: who published each, when and why, and which are still kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.entries import Fill, Published, Restate
from airflow_nrt.home.log.named_files import NamedFile
from airflow_nrt.home.log.past.past_entry import PastEntry
from airflow_nrt.home.replaced.kept_rows import (
    REPLACED,
    SumsOfWindows,
    WindowSums,
    directory_of,
    sums_after,
    sums_before,
)
from airflow_nrt.model.result_timing import EARLY

FIRST, EARLY_RESULT, LATE_UPDATE, UNDO = "first result", "early result", "late update", "undo"


@dataclass(frozen=True)
class WindowVersion:
    """A version of the window of an insert, published by log entry `version`, `at` a time (ms of the wall clock).

    `why`: `first result`, `early result`, `late update`, `filled from TWIN`, `backfill`, `repair` or `undo`; of a
    restatement `cause` says more, and `by` who asked for it, None of a driver and of earlier versions of airflow-nrt.
    `rows` are 0 if there was no row any more. `sums` are known of versions that a restatement has made or replaced.
    `kept` is the directory of its rows below the home, None if they are not kept, and has these `files`; retention
    removes it after `kept_until` (ms of the wall clock). `undone_to` is the version whose rows an undo has published
    again.
    """

    insert: str
    start: int | None
    end: int
    version: int
    at: int
    why: str
    rows: int
    by: Author | None = None
    epoch: int | None = None
    cause: str = ""
    sums: WindowSums | None = None
    kept: str | None = None
    files: tuple[NamedFile, ...] = ()
    kept_until: int | None = None
    undone_to: int | None = None


@dataclass
class _Window:
    versions: list[WindowVersion] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    """The rows at each of its places below the sink."""


def versions_of(home: Home, entries: Iterable[PastEntry]) -> dict[tuple[str, int], list[WindowVersion]]:
    """The versions of each window, by insert and end, the oldest first. Raises HomeError."""
    windows: dict[tuple[str, int], _Window] = {}
    owner: dict[str, tuple[str, int]] = {}
    known = _Sums(home)
    for entry in entries:
        touched = dict[tuple[str, int], Published | None]()
        for one in entry.published:
            if one.end is None:
                continue
            window = windows.setdefault((one.insert, one.end), _Window())
            window.places[one.target] = one.rows
            owner[f"{one.insert}/{one.target}"] = (one.insert, one.end)
            touched[one.insert, one.end] = one
        for target in entry.removed:
            key = owner.pop(target, None)
            if key is not None and key in windows:
                windows[key].places.pop(target.partition("/")[2], None)
                touched.setdefault(key, None)
        for key, published in touched.items():
            _add(windows[key], key, entry, published, known)
    return {key: window.versions for key, window in windows.items()}


def _add(window: _Window, key: tuple[str, int], entry: PastEntry, published: Published | None, known: _Sums) -> None:
    insert, end = key
    before = window.versions[-1] if window.versions else None
    start = published.start if published is not None else before.start if before is not None else None
    rows = sum(window.places.values())
    made = WindowVersion(insert, start, end, entry.n, entry.time, "", rows, epoch=entry.epoch)
    body = entry.body
    if isinstance(body, Restate):
        made = replace(made, why=body.reason, by=body.by, cause=body.cause, sums=known.after(body, insert, end))
        if body.undo is not None and (body.undo.insert, body.undo.end) == key:
            # As long as the window is pinned, so are the rows that it was set to.
            kept = body.undo.rows
            made = replace(made, undone_to=body.undo.version, kept=kept, files=tuple(body.kept.get(kept, ())))
        if before is not None:
            window.versions[-1] = known.with_kept(before, body)
    elif isinstance(body, Fill):
        made = replace(made, why=f"filled from {body.twin}")
    else:
        made = replace(made, why=_of_driver(window.versions, published))
    window.versions.append(made)


def _of_driver(before: Iterable[WindowVersion], published: Published | None) -> str:
    if published is not None and published.state == EARLY:
        return EARLY_RESULT
    return LATE_UPDATE if any(one.why != EARLY_RESULT for one in before) else FIRST


class _Sums:
    """What is noted beside kept rows; each file is read once."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._read: dict[str, tuple[SumsOfWindows, SumsOfWindows]] = {}

    def with_kept(self, version: WindowVersion, body: Restate) -> WindowVersion:
        """A version that a restatement has replaced, with what is kept of its rows."""
        for key in _kept(body, version.insert):
            noted = self._of(key)[0]
            found = noted.of(version.insert, version.end)
            if found is not None:
                files, until = tuple(body.kept[key]), noted.kept_until
                return replace(version, sums=found, kept=key, files=files, kept_until=until)
        return replace(version, kept=None, files=())

    def after(self, body: Restate, insert: str, end: int) -> WindowSums | None:
        """Of the rows that took their place."""
        found = (self._of(key)[1].of(insert, end) for key in _kept(body, insert))
        return next((one for one in found if one is not None), None)

    def _of(self, key: str) -> tuple[SumsOfWindows, SumsOfWindows]:
        directory = directory_of(self._home, key)
        if directory.name not in self._read:
            self._read[directory.name] = sums_before(directory), sums_after(directory)
        return self._read[directory.name]


def _kept(body: Restate, insert: str) -> Iterator[str]:
    return (key for key in body.kept if key.split("/")[2:] == [REPLACED, insert])


def restated(versions: Mapping[tuple[str, int], list[WindowVersion]]) -> dict[tuple[str, int], list[WindowVersion]]:
    """The windows that have had more than one version."""
    return {key: some for key, some in versions.items() if len(some) > 1}
