"""Drivers in memory that die before an action."""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.engine.driver.decide.actions import Action


class Crash(Exception):
    """The driver has died."""


def crash_at(number: int) -> Callable[[Action], None]:
    """Dies before an action, by its number."""
    left = iter(range(number, -1, -1))

    def before(action: Action) -> None:
        if next(left, None) == 0:
            raise Crash

    return before
