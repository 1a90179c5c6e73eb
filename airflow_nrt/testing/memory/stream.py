"""A driver in memory: it takes a lease, performs decisions, publishes, and may die between any two actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from airflow_nrt.engine.driver.decide.actions import Action
from airflow_nrt.engine.driver.decide.decide import Decisions, Steps, StreamState
from airflow_nrt.engine.driver.performing import Performing
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.home.log.entries import Entry, Lease, Position
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.position.partition_watermarks import WHOLE
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.testing.memory.computation import MemoryComputation
from airflow_nrt.testing.memory.home import MemoryHome
from airflow_nrt.testing.memory.rows import Row

Before = Callable[[Action], None]
"""Called before each action; what it raises ends the driver there."""


class MemoryStream:
    """A driver on a home. A new one on the same home is its successor, and fences it.

    `clock` gives processing time (ms), `attempt` publishes or owes, `delay` (ms) is how far watermarks lag.
    """

    def __init__(
        self,
        home: MemoryHome,
        clock: Callable[[], int] = lambda: 0,
        attempt: Attempt = at_once,
        delay: int = 0,
        before: Before = lambda action: None,
    ) -> None:
        self.home = home
        self.attempt = attempt
        self.writer = Writer.begin(home.log(), Lease("memory", 0, ""))
        self._decisions = Decisions(home.plan)
        self._before = before
        self._performing = Performing(MemoryComputation(home, delay), self.writer, self._publish, clock)
        self._run(self._decisions.begun(self.writer.log.position(), self.writer.log.last_clock()))
        for entry in self.writer.log.audit():
            self._publish(entry)
        home.remove_orphans()
        self._run(self._decisions.settle(self._performing.at))

    @property
    def position(self) -> Position:
        return self._performing.at.position

    def rows(
        self, source: str, rows: Sequence[Row] | Mapping[str, Sequence[Row]], ends: bool = False, name: str = ""
    ) -> None:
        """A batch of a source arrives: rows, or rows by part. `name` is that of its split, which is new by default."""
        parts = dict(rows) if isinstance(rows, Mapping) else {WHOLE: rows}
        path = self.home.put(self.home.rows, parts, name or source)
        split = SourceFile(path, sum(map(len, parts.values())), 0)
        self._run(self._decisions.arrived(self._performing.at, source, [split], ends=ends))

    def idle(self, source: str, parts: Iterable[str] = ()) -> None:
        """A source has become idle, or some of its parts."""
        at = self._performing.at
        self._run(self._decisions.idle_parts(at, source, parts) if parts else self._decisions.idle(at, source))

    def ended(self, source: str) -> None:
        self._run(self._decisions.ended(self._performing.at, source))

    def advance(self, source: str, watermark: int) -> None:
        """The watermark (ms) of a source moves on without rows."""
        self._run(self._decisions.advanced(self._performing.at, source, watermark))

    def pass_time(self) -> None:
        self._run(self._decisions.passed(self._performing.at))

    def _run(self, steps: Steps) -> None:
        self._performing.run(_watched(steps, self._before))

    def publish_only(self, entry: Entry, name: str) -> None:
        """Publishes what an entry has decided for one insert. It is idempotent, so that a successor does it again."""
        insert = self.home.plan.insert(name)
        for one in entry.published:
            if one.insert == name:
                self.attempt(insert, entry, partial(self.home.show, one))
        for place in entry.removed:
            owner, _, target = place.partition("/")
            if owner == name:
                self.attempt(insert, entry, partial(self.home.remove, name, target, entry.n))

    def _publish(self, entry: Entry) -> None:
        for insert in self.home.plan.inserts:
            self.publish_only(entry, insert.name)


def _watched(steps: Steps, before: Before) -> Steps:
    """The same steps; `before` sees each action first."""
    outcome = None
    while True:
        try:
            action = steps.send(outcome)
        except StopIteration as done:
            at: StreamState = done.value
            return at
        before(action)
        outcome = yield action
