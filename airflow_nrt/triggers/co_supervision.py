"""A stream task says that it supervises a driver, and learns of other tasks that do, too."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.supervisors import NOTE_SECONDS, Supervisor, note_supervisor, withdraw_supervisor
from airflow_nrt.triggers.watcher import WATCHER, Unreadable


def supervisor(task: Any) -> Supervisor:
    """The note of a task instance, as of now."""
    index = getattr(task, "map_index", None)
    index = -1 if index is None else index
    return Supervisor(task.dag_id, task.task_id, task.run_id, index, now_ms())


class CoSupervision:
    """The note of one task instance, None without one. Others are named in its `log` when they are first seen."""

    def __init__(self, location: str, group: str | None, task: Any, log: Any) -> None:
        self._location = location
        self._group = group
        self._own = None if task is None else supervisor(task)
        self._log = log
        self._named: set[str] = set()
        self._due = 0.0
        # A note that is still being written when the task ends must not outlive its withdrawal.
        self._lock = threading.Lock()
        self._has_left = False

    def begin(self) -> None:
        """In a worker: notes the task, and names others. A home that can't be written has no notes."""
        if self._own is not None:
            try:
                self._name(self._note())
            except (OSError, NrtError) as wrong:
                self._log.warning("the home can't be written: %s", wrong)

    def end(self) -> list[Supervisor]:
        """In a worker: takes the note away. Returns the tasks that still supervise the driver."""
        if self._own is None:
            return []
        try:
            return self._withdraw()
        except (OSError, NrtError):
            return []

    async def report(self, now: float) -> None:
        """In a triggerer: notes the task if it is time; `now` is in seconds of a monotonic clock."""
        if self._own is None or now < self._due:
            return
        self._due = now + NOTE_SECONDS
        try:
            self._name(await self._read(self._note))
        except Unreadable:
            return

    async def left(self) -> list[Supervisor]:
        """In a triggerer: as `end`. Raises Unreadable."""
        return [] if self._own is None else await self._read(self._withdraw)

    async def _read(self, act: Callable[[], list[Supervisor]]) -> list[Supervisor]:
        assert self._own is not None
        return await WATCHER.read(self._location, (act.__name__, self._own.key), act)

    def _note(self) -> list[Supervisor]:
        assert self._own is not None
        with self._lock:
            if self._has_left:
                return []
            self._own = replace(self._own, seen=now_ms())
            return note_supervisor(Home.open(self._location, self._group), self._own)

    def _withdraw(self) -> list[Supervisor]:
        assert self._own is not None
        with self._lock:
            self._has_left = True
            return withdraw_supervisor(Home.open(self._location, self._group), replace(self._own, seen=now_ms()))

    def _name(self, others: list[Supervisor]) -> None:
        for one in others:
            if one.key not in self._named:
                self._log.warning(
                    "%s supervises the driver of %s, too: one task is enough. The end of one of them does not stop the "
                    "driver",
                    one,
                    self._location,
                )
        self._named = {one.key for one in others}
