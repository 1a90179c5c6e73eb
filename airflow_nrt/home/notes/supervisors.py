"""Which tasks of Airflow supervise the driver of a home now: `notes/supervisors/`, a file each.

A task writes its note again and again, and takes it away when it ends. One that has not written for `SILENT_MS` has
died.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.formats import Format
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import SUPERVISORS_MS
from airflow_nrt.home.notes.tasks import check_ids
from airflow_nrt.home.store.records import read_record, record_bytes
from airflow_nrt.home.store.store_path import StorePath

NOTE_SECONDS = 20.0
"""How often a task writes its note."""
SILENT_MS = 90_000
_MOST_BYTES = 16 * 1024
_MOST = 100
_FORMAT = Format("the supervisor of a home")


@dataclass(frozen=True)
class Supervisor:
    """A task instance, and when it last wrote its note (ms)."""

    dag_id: str
    task_id: str
    run_id: str
    map_index: int
    seen: int

    def __post_init__(self) -> None:
        """Raises TypeError."""
        check_ids(self.dag_id, self.task_id, self.run_id)

    @property
    def key(self) -> str:
        """The same for all notes of a task instance, whatever try it is."""
        return json.dumps([self.dag_id, self.task_id, self.run_id, self.map_index])

    def __str__(self) -> str:
        index = f"[{self.map_index}]" if self.map_index >= 0 else ""
        return f"task {self.task_id}{index} of {self.dag_id}, run {self.run_id}"


def note_supervisor(home: Home, one: Supervisor) -> list[Supervisor]:
    """Writes the note of a task. Returns the other tasks that supervise the driver, too. Raises OSError, HomeError."""
    home.supervisors.make()
    _file(home, one).replace(record_bytes(_FORMAT, one))
    for file, known in list(_notes(home)):
        if known.seen < one.seen - SUPERVISORS_MS:
            file.delete()
    return others(home, one)


def withdraw_supervisor(home: Home, one: Supervisor) -> list[Supervisor]:
    """Takes the note of a task away. Returns the tasks that still supervise the driver. Raises OSError, HomeError."""
    _file(home, one).delete()
    return others(home, one)


def others(home: Home, one: Supervisor) -> list[Supervisor]:
    """The other tasks that supervise the driver when this one was last seen."""
    return [other for other in supervisors_of(home, one.seen) if other.key != one.key]


def supervisors_of(home: Home, now: int) -> list[Supervisor]:
    """The tasks that supervise the driver now (ms), by DAG and task. A note that can't be read is of none."""
    found = [one for _, one in _notes(home) if one.seen > now - SILENT_MS]
    return sorted(found, key=lambda one: (one.dag_id, one.task_id, one.run_id, one.map_index))


def _notes(home: Home) -> Iterator[tuple[StorePath, Supervisor]]:
    for file in home.supervisors.below(".json")[:_MOST]:
        with suppress(OSError, HomeError):
            yield file, read_record(file, _FORMAT, Supervisor, _MOST_BYTES)


def _file(home: Home, one: Supervisor) -> StorePath:
    return home.supervisors / f"{blake2b(one.key.encode(), digest_size=16).hexdigest()}.json"
