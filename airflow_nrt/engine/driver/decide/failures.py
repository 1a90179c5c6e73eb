"""What a driver does after a failure: stop, give up, or try again from its last entry."""

from __future__ import annotations

from dataclasses import dataclass

RETRIES = 5
"""How often in a row a failure that may pass is retried, with 1, 2, 4, … seconds in between."""
MOST_SECONDS = 30
"""The longest wait between two attempts to reach a server."""


@dataclass(frozen=True)
class Failure:
    """A failure. `is_final`: it would come again. `is_unreachable`: a server does not answer. `is_exit`: the process is
    to end. `has_no_engine`: what computes has ended."""

    is_final: bool = False
    is_unreachable: bool = False
    is_exit: bool = False
    has_no_engine: bool = False


@dataclass(frozen=True)
class Stop:
    """The batch under way is left to the next driver."""


@dataclass(frozen=True)
class GiveUp:
    """The driver ends with the failure."""


@dataclass(frozen=True)
class Wait:
    """A server may be away for as long as it takes: the next attempt is in so many seconds."""

    seconds: int


@dataclass(frozen=True)
class Retry:
    """The next attempt is in so many seconds. So many have failed in a row."""

    seconds: int
    times: int


@dataclass(frozen=True)
class Attempts:
    """How many attempts have failed since the log had `last_entry`."""

    last_entry: int
    failed: int = 0

    def after(self, last_entry: int) -> Attempts:
        """One more has failed. An entry in between is progress."""
        return Attempts(last_entry, 1 if last_entry > self.last_entry else self.failed + 1)


def after_failure(failure: Failure, attempts: Attempts, *, is_stop_asked: bool) -> Stop | GiveUp | Wait | Retry:
    """What follows a failure; `attempts` count it."""
    if failure.is_final:
        return GiveUp()
    if is_stop_asked and not failure.is_exit:
        return Stop()
    seconds: int = 2 ** (attempts.failed - 1)
    if failure.is_unreachable:
        return Wait(min(seconds, MOST_SECONDS))
    if failure.is_exit or failure.has_no_engine or attempts.failed > RETRIES:
        return GiveUp()
    return Retry(seconds, attempts.failed)
