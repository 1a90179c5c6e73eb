"""Stands for the module `time` where a module of the product waits: a test then takes no time."""

from __future__ import annotations

from collections.abc import Callable


class Clock:
    """Seconds pass only where somebody sleeps. What is planned happens in its moment, while that one sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self._plans: list[tuple[float, Callable[[], object]]] = []

    def monotonic(self) -> float:
        return self.now

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        self._plans.append((self.now + seconds, act))

    def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        due = sorted((plan for plan in self._plans if plan[0] <= until), key=lambda plan: plan[0])
        self._plans = [plan for plan in self._plans if plan[0] > until]
        for self.now, act in due:
            act()
        self.now = until
