"""Performs decisions: each action goes to what computes, to the log, or to the sinks, and its outcome goes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from airflow_nrt.basics.undone import undone
from airflow_nrt.engine.driver.decide.actions import (
    Absorb,
    Action,
    Append,
    Compact,
    Fire,
    Look,
    MoveOn,
    Publish,
    SetClock,
    Tune,
)
from airflow_nrt.engine.driver.decide.computation import Computation
from airflow_nrt.engine.driver.decide.decide import Steps, StreamState
from airflow_nrt.engine.faults import reach
from airflow_nrt.home.log.entries import Body, Commit, Entry, Position


class Appends(Protocol):
    """The writer of a log."""

    @property
    def last(self) -> int:
        """The number of the last entry that it knows."""
        ...

    def append(self, body: Body) -> Entry:
        """Appends an entry after all others."""
        ...

    def append_as(self, number: int, body: Body) -> Entry | None:
        """Appends an entry with this number; None if another entry has it."""
        ...


class Performing:
    """Where a stream stands, and what carries it on. `clock` gives processing time (ms), `publish` an entry's results
    to the sinks."""

    def __init__(
        self, computation: Computation, writer: Appends, publish: Callable[[Entry], None], clock: Callable[[], int]
    ) -> None:
        self._computation = computation
        self._writer = writer
        self._publish = publish
        self._clock = clock
        self.at = StreamState(Position(), 0)

    def run(self, steps: Steps) -> None:
        """Performs the actions of an event. If one fails, the stream stands at its last entry."""
        outcome: Any = None
        with undone(self._computation.untune):
            while True:
                try:
                    action = steps.send(outcome)
                except StopIteration as done:
                    self.at = done.value
                    return
                outcome = self._perform(action)

    def _perform(self, action: Action) -> Any:
        match action:
            case Look():
                return self._clock()
            case Tune():
                return self._computation.tune(action.files)
            case SetClock():
                return self._computation.set_clock(action.clock)
            case Absorb():
                return self._computation.absorb(action, self._writer.last)
            case Fire():
                return self._computation.fire(action, self._writer.last)
            case MoveOn():
                return self._computation.move_on(action, self._writer.last)
            case Compact():
                return self._computation.compact(action.operators)
            case Append():
                return self._append(action)
            case Publish():
                return self._publish(action.entry)

    def _append(self, action: Append) -> Entry | None:
        point = "commit" if isinstance(action.body, Commit) else "tick"
        body = replace(action.body, written=self._computation.keep(action.body))
        reach(f"{point}-before")
        if action.number is None:
            entry: Entry | None = self._writer.append(body)
        else:
            entry = self._writer.append_as(action.number, body)
        if entry is not None:
            self.at = replace(self.at, position=action.body.position)
            self._computation.stand_at(action.body.position)
            reach(f"{point}-after")
        return entry
