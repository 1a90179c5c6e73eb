"""What computes a stream. Spark does; `airflow_nrt.testing` does it in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from airflow_nrt.engine.driver.decide.actions import Absorb, BatchResult, Fire, Fired, Moved, MoveOn, Unreadable
from airflow_nrt.home.log.entries import Commit, OperatorState, Position, StateFile, Tick
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.log.splits import Split


class Computation(Protocol):
    """Turns rows into state and staged results. It decides nothing, and nothing of it counts before an entry of the log
    refers to it. `last` is the number of the last entry."""

    def tune(self, files: Iterable[Split | StateFile]) -> bool:
        """The next plans of this event read these files; gives whether one task does."""
        ...

    def untune(self) -> None:
        """The event is over: nothing is tuned for its files any more."""
        ...

    def set_clock(self, clock: int) -> Mapping[str, str]:
        """Queries that follow are of this processing time (ms); gives the versions of dimension tables by name."""
        ...

    def absorb(self, action: Absorb, last: int) -> BatchResult | Unreadable:
        """Stages a batch for everything that reads it."""
        ...

    def fire(self, action: Fire, last: int) -> Fired:
        """Fires windows, and stages their results, versions and changes."""
        ...

    def move_on(self, action: MoveOn, last: int) -> Moved | None:
        """Moves recent rows to a watermark, and stages what that changes; None if it changes nothing."""
        ...

    def compact(self, operators: Mapping[str, OperatorState]) -> Mapping[str, OperatorState]:
        """The same state in fewer files, where there are many."""
        ...

    def keep(self, body: Commit | Tick) -> NamedFiles:
        """What an entry refers to is durable from here on; gives the files of directories that no entry has named."""
        ...

    def stand_at(self, position: Position) -> None:
        """The log has come to this position: files that it and the two before do not refer to can go."""
        ...
