"""How often a driver may be restarted, and after which delay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pendulum

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.basics.texts import counted


class BudgetSpentError(NrtError):
    """A driver has been lost too often."""


@dataclass(frozen=True)
class RestartPolicy:
    """At most `most` restarts within any `window` seconds; the delay doubles with each, from `first` to `longest`
    seconds.

    Raises InputError for numbers that make no sense.
    """

    most: int = 5
    window: float = 3600.0
    first: float = 2.0
    longest: float = 300.0

    def __post_init__(self) -> None:
        if self.most < 0 or self.window <= 0 or not 0 <= self.first <= self.longest:
            raise InputError(
                "restarts need max_restarts >= 0, restart_window > 0 and 0 <= restart_delay <= max_restart_delay: got "
                f"{self.most}, {self.window:g} s, {self.first:g} s, {self.longest:g} s"
            )

    def back_off(self, restarts: Sequence[float], now: float) -> float:
        """Seconds to wait before the next restart, given the times of earlier ones."""
        return float(min(self.longest, self.first * 2 ** len(self._recent(restarts, now))))

    def spend(self, restarts: Sequence[float], now: float, why: str) -> list[float]:
        """The restarts that count, with one more at `now`. Raises BudgetSpentError if no restart is left."""
        recent = self._recent(restarts, now)
        if len(recent) >= self.most:
            window = pendulum.duration(seconds=self.window).in_words()
            raise BudgetSpentError(
                f"the driver was restarted {counted(len(recent), 'time')} within {window} (max_restarts {self.most}) "
                f"and is lost again: {why}"
            )
        return [*recent, now]

    def _recent(self, restarts: Sequence[float], now: float) -> list[float]:
        return [at for at in restarts if now - at < self.window]
