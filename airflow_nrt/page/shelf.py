"""All homes that this host finds, each with its reader, and those of them that a user may see."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airflow_nrt.page.actions import dag_of
from airflow_nrt.page.permissions import Access
from airflow_nrt.page.places import Found, Places, Root
from airflow_nrt.page.reader import Reader
from airflow_nrt.report.errors import HomeError
from airflow_nrt.report.notes.tasks import TaskOfHome

if TYPE_CHECKING:
    from airflow.api_fastapi.auth.managers.models.base_user import BaseUser


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

    def seen_by(self, user: BaseUser) -> tuple[list[Seen], Access, Found]:
        """The homes that the user may see, the user's access, and what was found at all."""
        found = self._places.found()
        readers = [self._reader(home_id, found) for home_id in found.places]
        tasks = [_tasks(reader) for reader in readers]
        access = Access(user, {one.dag_id for some in tasks for one in some.values()})
        seen = (Seen(reader, some, access) for reader, some in zip(readers, tasks))
        return [one for one in seen if access.may_see(one.dag_id)], access, found

    def find(self, home_id: str, user: BaseUser) -> Seen | None:
        """None if there is no such home, or if the user may not see it: nobody learns which."""
        found = self._places.found()
        if home_id not in found.places:
            return None
        reader = self._reader(home_id, found)
        tasks = _tasks(reader)
        access = Access(user, {one.dag_id for one in tasks.values()})
        one = Seen(reader, tasks, access)
        return one if access.may_see(one.dag_id) else None

    def _reader(self, home_id: str, found: Found) -> Reader:
        with self._lock:
            place = found.places[home_id]
            if home_id not in self._readers or self._readers[home_id].place != place:
                self._readers = {one: self._readers[one] for one in self._readers if one in found.places}
                self._readers[home_id] = Reader(place)
            return self._readers[home_id]


def _tasks(reader: Reader) -> Mapping[str, TaskOfHome]:
    """A home that can't be read names none."""
    try:
        return reader.tasks()
    except HomeError:
        return {}
