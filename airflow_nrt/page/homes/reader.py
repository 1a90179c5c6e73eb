"""One home, read repeatedly: what has not changed is not read twice."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.identity.identity import Identity
from airflow_nrt.home.log.entries import Commit, Entry, Position
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.notes.supervisors import Supervisor, supervisors_of
from airflow_nrt.home.notes.tasks import TaskOfHome, tasks_of
from airflow_nrt.home.notes.unread import noted_unread
from airflow_nrt.home.notes.verdicts import KeptVerdict, kept_verdicts
from airflow_nrt.home.outline import InsertOutline, Outline
from airflow_nrt.home.store.store import Seen
from airflow_nrt.home.table_progress import TablesProgress, tables_progress
from airflow_nrt.home.visible import staged_directories
from airflow_nrt.page.homes.known_samples import KnownSamples, Samples
from airflow_nrt.page.homes.places import Place
from airflow_nrt.page.log_facts import Facts

_TAIL = 24
"""How many of the last entries of a log give the numbers in the list."""


@dataclass(frozen=True)
class Tail:
    """The end of a log: the newest entries, newest first, and the position of the stream after them."""

    entries: tuple[Entry, ...] = ()
    position: Position = field(default_factory=Position)
    epoch: int = 0

    @property
    def commits(self) -> list[tuple[Entry, Commit]]:
        """Newest first."""
        return [(entry, entry.body) for entry in self.entries if isinstance(entry.body, Commit)]

    @classmethod
    def of(cls, log: Log) -> Tail:
        """Raises HomeError."""
        entries = tuple(log.read(n) for n in range(log.last, max(log.last - _TAIL, -1), -1))
        known = next((one.position for one in entries if one.position is not None), None)
        epoch = next((one.epoch for one in entries if one.epoch is not None), None)
        return cls(
            entries,
            log.position() if known is None else known,
            log.epoch() if epoch is None else epoch,
        )


@dataclass(frozen=True)
class Kept:
    """What is read again only if `report.json` is another one. `facts` follow `whole_log`; its end is read as `log`."""

    key: Seen
    identity: Identity
    zone: str | None
    outline: Outline | None
    log: Log
    whole_log: Log
    facts: Facts = field(default_factory=Facts)


class Reader:
    """Each method raises HomeError for a home that can't be read, or is not trusted.

    Reads for the list of homes never wait for a read of a whole log, or of samples.
    """

    def __init__(self, place: Place, samples: KnownSamples) -> None:
        self.place = place
        self._lock = threading.RLock()
        self._whole_log = threading.Lock()
        self._all_samples = threading.Lock()
        self._kept: Kept | None = None
        self._tail: tuple[int, Tail] = (-1, Tail())
        self._verdicts: dict[str, KeptVerdict] = {}
        self._progress: tuple[object, TablesProgress] | None = None
        self._unread: tuple[Seen | None, int] = (None, 0)
        self.known_tasks: Mapping[str, TaskOfHome] = {}
        self._tasks_of: Mapping[str, Seen | None] = {}
        self.known_supervisors: list[Supervisor] = []
        self._samples = samples

    @property
    def home(self) -> Home:
        """Checked again, because its directories may have been opened to others."""
        try:
            return Home.at(self.place.path, self.place.root.group)
        except InputError as wrong:
            raise HomeError(str(wrong)) from None

    def kept(self) -> Kept:
        with self._lock:
            home = self.home
            try:
                key = home.report_file.seen()
            except OSError as wrong:
                raise HomeError(f"the home {home.path} can't be read: {wrong.strerror}") from None
            if key is None:
                raise HomeError(f"the home {home.path} can't be read: it has no report.json")
            if self._kept is None or self._kept.key != key:
                self._forget()
                outline = None
                with suppress(HomeError):
                    outline = home.outline()
                self._kept = Kept(key, home.identity(), home.zone, outline, home.log(), home.log())
            return self._kept

    def tail(self) -> Tail:
        with self._lock:
            log = self.kept().log
            if log.refresh() != self._tail[0]:
                self._tail = (log.last, Tail.of(log))
            return self._tail[1]

    def facts(self) -> Facts:
        with self._whole_log:
            kept = self.kept()
            kept.whole_log.refresh()
            kept.facts.follow(kept.whole_log)
            return kept.facts

    def heartbeat(self) -> Heartbeat | None:
        return read_heartbeat(self.home.heartbeats)

    def progress(self, beat: Heartbeat | None) -> TablesProgress:
        """How far its tables are, according to this heartbeat."""
        with self._lock:
            kept, home = self.kept(), self.home
            said = None if beat is None else (beat.entry, *beat.owed.items())
            key = kept.log.last, said, frozenset(staged_directories(home))
            if self._progress is None or self._progress[0] != key:
                self._progress = key, tables_progress(home, kept.log, kept.outline, beat)
            return self._progress[1]

    def unread_files(self) -> int:
        """How many files came into directories of sources after these were closed."""
        with self._lock:
            note = self.home.unread
            try:
                seen = note.seen()
            except OSError:
                seen = None
            if self._unread[0] != seen:
                self._unread = seen, sum(one.files for one in noted_unread(self.home).sources.values())
            return self._unread[1] if seen is not None else 0

    def tasks(self) -> Mapping[str, TaskOfHome]:
        with self._lock:
            home = self.home
            key: Mapping[str, Seen | None] = {}
            with suppress(OSError):
                key = {file.name: file.seen() for file in home.tasks.below()}
            if self._tasks_of != key:
                self.known_tasks = tasks_of(home)
                self._tasks_of = key
            return self.known_tasks

    def supervisors(self, now: int) -> list[Supervisor]:
        """The tasks that supervise its driver now (ms)."""
        with self._lock:
            self.known_supervisors = supervisors_of(self.home, now)
            return self.known_supervisors

    def forget_tasks(self) -> None:
        """The home can't be read: it is read again next time."""
        self.known_tasks, self._tasks_of, self.known_supervisors = {}, {}, []

    def verdicts(self) -> list[KeptVerdict]:
        """Newest first."""
        with self._lock:
            self._verdicts = kept_verdicts(self.home, self._verdicts)
            return list(self._verdicts.values())

    def samples(self, insert: str, day: str) -> Samples:
        with self._all_samples:
            return self._samples.of_day(self.home, insert, day)

    def inserts(self) -> tuple[InsertOutline, ...]:
        """The inserts whose names are file names: others can't have been published."""
        outline = self.kept().outline
        found = outline.inserts if outline is not None else ()
        return tuple(one for one in found if one.name and "/" not in one.name and one.name not in (".", ".."))

    def _forget(self) -> None:
        """Another home is at this location now."""
        self._tail = (-1, Tail())
        self._verdicts = {}
        self._progress = None
