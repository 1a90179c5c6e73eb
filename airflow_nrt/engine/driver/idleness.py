"""When a source, or a part of it, counts as idle: nothing has come for its idle timeout, and nothing waits.

What is idle does not hold back watermarks (`home/log/position/watermarks.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable

from airflow_nrt.model.options.known import REPORT_OPTIONS, read_option, source_option
from airflow_nrt.model.plan import Plan, Source


def idle_timeout(plan: Plan, source: Source) -> int | None:
    """The idle timeout of a source (ms), None if it is never idle. That of the report is for sources without one."""
    own: int | None = source_option(source.table.options, "scan.watermark.idle-timeout")
    general: int | None = read_option(dict(plan.settings), REPORT_OPTIONS, "table.exec.source.idle-timeout")
    return own if own is not None else general or None


class Idleness:
    """How long nothing has come from a source and its `parts`. `clock` gives seconds that never go back."""

    def __init__(self, parts: Iterable[str] = (), clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._parts = dict.fromkeys(parts, self._last)

    def arrived(self, parts: Iterable[str]) -> None:
        """Something has come, of these parts."""
        self._last = self._clock()
        self._parts |= dict.fromkeys(parts, self._last)

    def is_idle(self, timeout: int) -> bool:
        """Whether nothing has come for so long (ms)."""
        return (self._clock() - self._last) * 1000 > timeout

    def idle_parts(self, timeout: int, waiting: Container[str]) -> list[str]:
        """The parts from which nothing has come for so long (ms), except those with something `waiting`."""
        since = self._clock() - timeout / 1000
        return [part for part, last in self._parts.items() if last < since and part not in waiting]
