"""Sinks that do not answer for a while."""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.publish.owing import Owing
from airflow_nrt.home.log.entries import Entry
from airflow_nrt.model.plan import Insert
from airflow_nrt.testing.memory import MemoryStream


class Away:
    """Sinks that do not answer for a while (`names`), and what a driver owes them. Time is counted in seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.names: set[str] = set()
        self.begin()

    def begin(self) -> None:
        """A driver begins. What the one before it owed, it finds in the log."""
        self.owing = Owing(lambda: self.now)

    def attempt(self, insert: Insert, entry: Entry, action: Callable[[], None]) -> bool:
        return self.owing.attempt(insert, entry, lambda: self._reach(insert, action))

    def _reach(self, insert: Insert, action: Callable[[], None]) -> None:
        if insert.name in self.names:
            raise UnreachableError(f"the sink of {insert.name} does not answer")
        action()

    def pay(self, stream: MemoryStream) -> None:
        """Publishes what is owed where its time has come, as a driver does between batches."""
        for name, entries in self.owing.due():
            for entry in entries:
                stream.publish_only(entry, name)
            self.owing.settled(stream.home.plan.insert(name))
