"""The end of a home's driver."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.home.heartbeat import Heartbeat


@dataclass(frozen=True)
class StopRequest:
    """The location of the home, the `group` that shares it, and how long (s) to wait for the driver's end."""

    home: str
    group: str | None
    timeout: float


@dataclass(frozen=True)
class StopResult:
    """All drivers up to `epoch` were asked to stop; `last` is the last heartbeat of one, None if there was none.

    `was_there`: one of them was running, or was being launched. `has_stopped` is False if it did not within the
    timeout; the request stands. `end` is how the last one ended: the state of its heartbeat, that it died, or that it
    fell silent.
    """

    epoch: int
    was_there: bool
    has_stopped: bool
    last: Heartbeat | None
    end: str | None
