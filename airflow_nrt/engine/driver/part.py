"""The part of a driver in its home: alone, or one of two that work on a changed report, each on its generation."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from threading import Condition
from typing import Protocol

from airflow_nrt.engine.faults import reach
from airflow_nrt.home.heartbeat import FINISHED
from airflow_nrt.home.log.entries import Left, Position
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.splits import SourceRange

LEFT = "left"
"""A driver ends so where another generation counts from then on."""
TAKEN = "taken"
"""A stream ends so, to begin again, where its generation counts from then on."""
_LOOK_SECONDS = 0.2

IsStopAsked = Callable[[], bool]


class Part(Protocol):
    """What a driver asks of its part."""

    @property
    def is_alone(self) -> bool:
        """Whether nobody computes a changed report."""

    @property
    def holds_results(self) -> bool:
        """Whether results wait in the home, because another generation counts."""

    @property
    def above(self) -> int:
        """The epoch of the driver is above this one."""

    def begins(self, source: str) -> Sequence[SourceRange]:
        """Empty ranges of the parts of a source, which say where reading begins; none where the source says it."""

    def begun(self, writer: Writer, is_stop_asked: IsStopAsked) -> None:
        """The driver has its lease."""

    def is_over(self) -> bool:
        """Whether the driver ends because the other one has ended."""

    def is_asked_to_leave(self) -> bool:
        """Whether the driver is to append nothing any more."""

    def takes_over(self, position: Position, looked: float | None) -> bool:
        """Whether its generation counts from now on. All that its sources had at the time `looked` (s, monotonic) is
        absorbed; None if more has come. Raises FencedError."""

    def is_waited_for(self) -> bool:
        """Whether the other driver waits until all is absorbed that its sources have now."""

    def after(self, state: str) -> str | None:
        """The state in which the driver ends, whose stream has ended in a state; None if the stream begins again."""


class Alone:
    """The part of most drivers."""

    is_alone = True
    holds_results = False
    above = 0

    def begins(self, source: str) -> Sequence[SourceRange]:
        return ()

    def begun(self, writer: Writer, is_stop_asked: IsStopAsked) -> None:
        return

    def is_over(self) -> bool:
        return False

    def is_asked_to_leave(self) -> bool:
        return False

    def takes_over(self, position: Position, looked: float | None) -> bool:
        return False

    def is_waited_for(self) -> bool:
        return False

    def after(self, state: str) -> str | None:
        return state


class Handover:
    """Between two drivers of one process: that of the generation that counts, and that of its `successor`.

    The successor asks the other one to leave once it has absorbed all that has arrived. The other one then waits, while
    its heartbeat goes on. It goes on itself if the successor ends without having taken over.
    """

    def __init__(self, successor: int) -> None:
        self.successor = successor
        self.is_asked = False
        self.is_taken = False
        self.is_over = False
        self._changed = Condition()
        self._writer: Writer | None = None
        self._is_stop_asked: IsStopAsked = lambda: False
        self._left: tuple[float, int, Position] | None = None

    @property
    def is_left(self) -> bool:
        """Whether the driver of the generation that counts waits for the successor."""
        return self._left is not None

    @property
    def writer(self) -> Writer:
        """That of the generation that counts."""
        assert self._writer is not None
        return self._writer

    def begin(self, writer: Writer, is_stop_asked: IsStopAsked) -> None:
        with self._changed:
            self._writer, self._is_stop_asked = writer, is_stop_asked
            self._changed.notify_all()

    def has_begun(self) -> bool:
        """Waits until the driver of the generation that counts has its lease (True), or has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._writer is not None or self.is_over)
            return self._writer is not None

    def end(self) -> None:
        """One of the drivers has ended."""
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def leave(self) -> bool:
        """The generation that counts is at its end. Waits until the successor has taken over (True), has ended, or
        can't, because more came to an end that is none."""
        with self._changed:
            self._left = time.monotonic(), self.writer.last, self.writer.log.position()
            while self._left is not None and not self.is_over and not self._is_stop_asked():
                self._changed.wait(_LOOK_SECONDS)
            self._left, self.is_asked = None, False
            return self.is_taken

    def take(self, position: Position, looked: float, idling: Collection[str]) -> bool:
        """Leaves the log of the generation that counts, if its driver waits for that, and all that it has read is
        absorbed: by one entry. Sources that are `idling` after a while have to be idle where they were.

        Raises FencedError if a newer driver of that generation has begun.
        """
        with self._changed:
            if self._left is None:
                # Else the other one would wait as long as it takes to become idle.
                self.is_asked = self.is_asked or _is_as_idle(position, self.writer.log.position(), idling)
                return False
            at, last, before = self._left
            if looked < at:
                return False
            if _is_as_idle(position, before, idling):
                reach("rebuild-caught-up")
                # A backfill may have come in between: then its results are published first.
                self.is_taken = self.writer.append_as(last + 1, Left(self.successor)) is not None
            self._left = None
            self._changed.notify_all()
        reach("rebuild-decided")
        return self.is_taken


def _is_as_idle(position: Position, before: Position, idling: Collection[str]) -> bool:
    """Windows that an idle source has let fire would be gone where it is not idle yet."""
    known = (name for name in idling if name in before.sources and name in position.sources)
    for name in known:
        old, new = before.sources[name], position.sources[name]
        parts = (part for part, state in old.parts.items() if state.idle and part in new.parts)
        if (old.idle and not new.idle) or not all(new.parts[part].idle for part in parts):
            return False
    return True


class Former:
    """The part of the driver of the generation that counts."""

    is_alone = False
    holds_results = False
    above = 0

    def __init__(self, handover: Handover) -> None:
        self._handover = handover

    def begins(self, source: str) -> Sequence[SourceRange]:
        return ()

    def begun(self, writer: Writer, is_stop_asked: IsStopAsked) -> None:
        self._handover.begin(writer, is_stop_asked)

    def is_over(self) -> bool:
        return False

    def is_asked_to_leave(self) -> bool:
        return self._handover.is_asked and not self._handover.is_over

    def takes_over(self, position: Position, looked: float | None) -> bool:
        return False

    def is_waited_for(self) -> bool:
        return False

    def after(self, state: str) -> str | None:
        if state not in (LEFT, FINISHED) or self._handover.is_over:
            return None if state == LEFT else state
        return LEFT if self._handover.leave() else None


class Successor:
    """The part of the driver of the changed report. Its sources `idling` become idle after a while; by source, `begins`
    are the empty ranges at which the other report began."""

    is_alone = False

    def __init__(
        self, handover: Handover, idling: Collection[str], begins: Mapping[str, Sequence[SourceRange]]
    ) -> None:
        self._handover = handover
        self._idling = idling
        self._begins = begins

    @property
    def holds_results(self) -> bool:
        return not self._handover.is_taken

    @property
    def above(self) -> int:
        # Who supervises the home takes a driver of a lower epoch for an older one.
        return self._handover.writer.epoch

    def begins(self, source: str) -> Sequence[SourceRange]:
        return self._begins.get(source, ())

    def begun(self, writer: Writer, is_stop_asked: IsStopAsked) -> None:
        return

    def is_over(self) -> bool:
        return self._handover.is_over and not self._handover.is_taken

    def is_asked_to_leave(self) -> bool:
        return False

    def takes_over(self, position: Position, looked: float | None) -> bool:
        if looked is None or self._handover.is_taken:
            return False
        return self._handover.take(position, looked, self._idling)

    def is_waited_for(self) -> bool:
        return self._handover.is_left

    def after(self, state: str) -> str | None:
        return None if state == TAKEN else state
