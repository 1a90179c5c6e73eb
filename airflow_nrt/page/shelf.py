"""All homes that this host finds, each with its reader, and those of them that a user may see."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.page.actions import dag_of
from airflow_nrt.page.patience import answers_in_time
from airflow_nrt.page.permissions import Access
from airflow_nrt.page.places import Found, Places, Root
from airflow_nrt.page.reader import Reader
from airflow_nrt.page.state import State, state_of, unreachable
from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.notes.tasks import TaskOfHome

if TYPE_CHECKING:
    from airflow.api_fastapi.auth.managers.models.base_user import BaseUser

NO_ANSWER = "the file system of the home does not answer"


@dataclass(frozen=True)
class Seen:
    """A home that a user may see."""

    reader: Reader
    tasks: Mapping[str, TaskOfHome]
    access: Access

    @property
    def dag_id(self) -> str | None:
        return dag_of(self.tasks)


class Shelf:
    """`roots` says where homes are; readers stay, with what they have read."""

    def __init__(self, roots: Callable[[], Sequence[Root]]) -> None:
        self._places = Places(roots)
        self._readers: dict[str, Reader] = {}
        self._lock = threading.Lock()

    def seen_by(self, user: BaseUser, now: int) -> tuple[list[tuple[Seen, State]], Access, Found]:
        """The homes that the user may see with their states, the user's access, and what was found at all."""
        found = self._places.found()
        looks = _look_at([self._reader(home_id, found) for home_id in found.places], now)
        access = Access(user, {one.dag_id for look in looks for one in look.tasks.values()})
        seen = [(Seen(look.reader, look.tasks, access), look.state) for look in looks]
        return [(one, state) for one, state in seen if access.may_see(one.dag_id)], access, found

    def find(self, home_id: str, user: BaseUser) -> Seen | None:
        """None if there is no such home, or if the user may not see it: nobody learns which.

        Raises HomeError where its file system does not answer.
        """
        found = self._places.found()
        if home_id not in found.places:
            return None
        reader = self._reader(home_id, found)
        answers = answers_in_time(reader.place.path, lambda: _refresh(reader))
        access = Access(user, {one.dag_id for one in reader.known_tasks.values()})
        one = Seen(reader, reader.known_tasks, access)
        if not access.may_see(one.dag_id):
            return None
        if not answers:
            raise HomeError(NO_ANSWER)
        return one

    def _reader(self, home_id: str, found: Found) -> Reader:
        with self._lock:
            place = found.places[home_id]
            if home_id not in self._readers or self._readers[home_id].place != place:
                self._readers = {one: self._readers[one] for one in self._readers if one in found.places}
                self._readers[home_id] = Reader(place)
            return self._readers[home_id]


@dataclass
class _Look:
    """A home as the list has it; as it was known before, where nothing more is learnt in time."""

    reader: Reader
    state: State

    @property
    def tasks(self) -> Mapping[str, TaskOfHome]:
        return self.reader.known_tasks


def _look_at(readers: Sequence[Reader], now: int) -> list[_Look]:
    """All homes, those of one file system one after the other."""
    looks = [_Look(reader, unreachable(reader, NO_ANSWER, now)) for reader in readers]
    by_root: dict[Root, list[_Look]] = {}
    for look in looks:
        by_root.setdefault(look.reader.place.root, []).append(look)
    for root, some in by_root.items():
        answers_in_time(Path(root.path), partial(_fill, some, now))
    return looks


def _fill(looks: Sequence[_Look], now: int) -> None:
    for look in looks:
        _refresh(look.reader)
        look.state = state_of(look.reader, now)


def _refresh(reader: Reader) -> None:
    """A home that can't be read names no tasks."""
    try:
        reader.tasks()
    except HomeError:
        reader.forget_tasks()
