"""All homes that this host finds, each with its reader, and which of them a user may see."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.notes.supervisors import Supervisor
from airflow_nrt.home.notes.tasks import TaskOfHome
from airflow_nrt.page.access.permissions import Access
from airflow_nrt.page.actions import dag_of
from airflow_nrt.page.homes.known_samples import KnownSamples
from airflow_nrt.page.homes.patience import answers_in_time
from airflow_nrt.page.homes.places import Found, Places, Root
from airflow_nrt.page.homes.reader import Reader
from airflow_nrt.page.state import State, state_of, unreachable

if TYPE_CHECKING:
    from airflow.api_fastapi.auth.managers.models.base_user import BaseUser

NO_ANSWER = "the file system of the home does not answer"
NOT_READ = "not read yet: it takes long to read the homes of its root"
_KNOWN_MS = 300_000
"""How long a state counts while others are read."""


@dataclass(frozen=True)
class VisibleHome:
    """A home that a user may see, and of its tasks those whose DAGs the user may see."""

    reader: Reader
    tasks: Mapping[str, TaskOfHome]
    supervisors: Sequence[Supervisor]
    access: Access

    @classmethod
    def of(cls, reader: Reader, access: Access) -> VisibleHome | None:
        """None if the user may not see the home: neither the DAG that launched its driver nor one that supervises
        it."""
        tasks = reader.known_tasks
        supervisors = [one for one in reader.known_supervisors if access.may_see(one.dag_id)]
        if not supervisors and not access.may_see(dag_of(tasks)):
            return None
        shown = {kind: one for kind, one in tasks.items() if access.may_see(one.dag_id)}
        return cls(reader, shown, supervisors, access)

    @property
    def dag_id(self) -> str | None:
        return dag_of(self.tasks)

    @property
    def dag_ids(self) -> set[str]:
        """The DAGs whose tasks work on the home, as far as the user may see them."""
        return {one.dag_id for one in self.tasks.values()} | {one.dag_id for one in self.supervisors}


class Shelf:
    """The readers of all homes below the `roots`; they are kept, with what they have read."""

    def __init__(self, roots: Callable[[], Sequence[Root]]) -> None:
        self._places = Places(roots)
        self._known: dict[str, _Known] = {}
        self._samples = KnownSamples()
        self._next: dict[Root, str] = {}
        self._lock = threading.Lock()

    def visible_to(self, user: BaseUser, now: int) -> tuple[list[tuple[VisibleHome, State]], Access, Found]:
        """The homes that the user may see with their states, the user's access, and all homes that were found."""
        found = self._places.found()
        looks = self._look_at([self._known_home(home_id, found) for home_id in found.places], now)
        access = Access(user, {name for look in looks for name in _dags(look.reader)})
        homes = [(VisibleHome.of(look.reader, access), look.state) for look in looks]
        return [(one, state) for one, state in homes if one is not None], access, found

    def find(self, home_id: str, user: BaseUser) -> VisibleHome | None:
        """A home; None if there is no such home, or if the user may not see it, without a difference.

        Raises HomeError if its file system does not answer.
        """
        found = self._places.found()
        if home_id not in found.places:
            return None
        reader = self._known_home(home_id, found).reader
        answers = answers_in_time(reader.place.path, lambda: _refresh(reader))
        one = VisibleHome.of(reader, Access(user, _dags(reader)))
        if one is None:
            return None
        if not answers:
            raise HomeError(NO_ANSWER)
        return one

    def _known_home(self, home_id: str, found: Found) -> _Known:
        with self._lock:
            place = found.places[home_id]
            if home_id not in self._known or self._known[home_id].reader.place != place:
                self._known = {one: self._known[one] for one in self._known if one in found.places}
                self._known[home_id] = _Known(Reader(place, self._samples))
            return self._known[home_id]

    def _look_at(self, homes: Sequence[_Known], now: int) -> list[_Look]:
        """Reads all homes, root by root; the next round goes on where this one ended."""
        by_root: dict[Root, list[_Look]] = {}
        for home in homes:
            look = _Look(home, unreachable(home.reader, NO_ANSWER, now))
            by_root.setdefault(home.reader.place.root, []).append(look)
        for root, looks in by_root.items():
            ids = [look.reader.place.id for look in looks]
            first = ids.index(self._next[root]) if self._next.get(root) in ids else 0
            round_of = _Round([*looks[first:], *looks[:first]], now)
            if not answers_in_time(Path(root.path), round_of.read):
                self._next[root] = ids[(first + round_of.stop()) % len(ids)]
        return [look for looks in by_root.values() for look in looks]


@dataclass
class _Known:
    """A home, and its state when it was last read."""

    reader: Reader
    state: State | None = None


@dataclass
class _Look:
    """A home for the list."""

    home: _Known
    state: State

    @property
    def reader(self) -> Reader:
        return self.home.reader


@dataclass
class _Round:
    """One round over the homes of a root, which may end before all of them are read."""

    looks: Sequence[_Look]
    now: int
    _read: int = 0
    _is_over: bool = False

    def read(self) -> None:
        for look in self.looks:
            if self._is_over:
                return
            _refresh(look.reader)
            look.state = look.home.state = state_of(look.reader, self.now)
            self._read += 1

    def stop(self) -> int:
        """Ends the round; returns where the next one begins, after the home that took too long.

        If at least one home was read, the file system answers: the others keep their known state.
        """
        self._is_over = True
        read = self._read
        for look in self.looks[read:] if read else ():
            look.state = _known_state(look.home, self.now)
        return read + 1


def _known_state(home: _Known, now: int) -> State:
    known = home.state
    return known if known is not None and now - known.now < _KNOWN_MS else unreachable(home.reader, NOT_READ, now)


def _dags(reader: Reader) -> set[str]:
    """The DAGs of its tasks, as far as it was read."""
    return {one.dag_id for one in reader.known_tasks.values()} | {one.dag_id for one in reader.known_supervisors}


def _refresh(reader: Reader) -> None:
    """A home that can't be read names no tasks."""
    try:
        reader.tasks()
        reader.supervisors(now_ms())
    except HomeError:
        reader.forget_tasks()
