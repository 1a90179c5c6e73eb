"""How long servers have refused a login: a driver waits for a while, because only another one is given a new login."""

from __future__ import annotations

import time
from collections.abc import Callable

from airflow_nrt.basics.durations import SECOND, format_duration
from airflow_nrt.basics.errors import NrtError
from airflow_nrt.engine.failures.servers import OutdatedLoginError, RefusedError
from airflow_nrt.model.options.known import REFUSED_TIMEOUT


class Refusals:
    """The servers that refuse a login now, by names. `most` is in milliseconds, `clock` in seconds that never go
    back."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._since: dict[str, float] = {}

    def meet(self, name: str, failure: NrtError) -> None:
        """Notes what happened to the server of this name. Raises OutdatedLoginError if it has refused for too long."""
        if not isinstance(failure, RefusedError):
            self.end(name)
            return
        since = self._since.setdefault(name, self._clock())
        if self._clock() - since >= self._most / SECOND:
            raise OutdatedLoginError(
                f"{failure}. It was refused for {format_duration(self._most)} ('{REFUSED_TIMEOUT}'), so this driver "
                "ends: the next one may be given another login. Results that wait below the home stay there until then"
            ) from failure

    def end(self, name: str) -> None:
        """Notes that the server of this name does not refuse."""
        self._since.pop(name, None)

    def left(self, name: str) -> str:
        """For how long the driver waits yet, in words, such as `the driver ends in 50 min`; '' without a refusal."""
        since = self._since.get(name)
        if since is None:
            return ""
        minutes = max(0, self._most / SECOND - (self._clock() - since)) / 60
        return f"the driver ends in {minutes:.0f} min"
