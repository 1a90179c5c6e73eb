"""Points in time at which windows and slices end: every so many milliseconds, or every so many months."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.model.windows.arithmetic import Ms, Sql


class Grid(ABC):
    """Points in time (ms), numbered in their order.

    The methods compute with integers, and make Spark SQL of the same.
    """

    @property
    @abstractmethod
    def shortest(self) -> int:
        """The shortest distance of two points (ms)."""

    @property
    @abstractmethod
    def longest(self) -> int:
        """The longest distance of a point to the next (ms)."""

    @property
    @abstractmethod
    def unit(self) -> int:
        """The longest time (ms) of which all points are multiples."""

    @abstractmethod
    def bound(self, number: Ms) -> Ms:
        """The point with this number."""

    @abstractmethod
    def index(self, at: Ms) -> Ms:
        """The number of the last point that is not after `at`."""

    def at_or_before(self, at: Ms) -> Ms:
        return self.bound(self.index(at))

    def before(self, at: Ms) -> Ms:
        return self.at_or_before(at - 1)

    def after(self, at: Ms) -> Ms:
        return self.bound(self.index(at) + 1)

    def at_or_after(self, at: Ms) -> Ms:
        return self.after(at - 1)

    def first_open(self, watermark: Ms) -> Ms:
        """The first point whose last millisecond a watermark has not reached."""
        return self.at_or_after(watermark + 2)

    def shifted(self, point: Ms, steps: int) -> Ms:
        """The point so many points after this one."""
        return self.bound(self.index(point) + steps)

    def steps(self, origin: int, point: Ms) -> Ms:
        """How many points this one is after the origin, which is one, too."""
        return self.index(point) - self.index(origin)

    def stepped(self, origin: int, steps: Ms) -> Ms:
        """The point so many points after the origin: the inverse of `steps`."""
        return self.bound(steps + self.index(origin))

    def between(self, first: int, last: int) -> Iterator[int]:
        """The points `first <= point <= last`."""
        return map(self.bound, range(self.index(first - 1) + 1, self.index(last) + 1))

    def sequence(self, first: str, last: str) -> str:
        """SQL of an array of the points from one to another, both ends. Both are points."""
        numbers = f"sequence({self.index(Sql(first))}, {self.index(Sql(last))})"
        return f"transform({numbers}, n -> {self.bound(Sql('n'))})"


@dataclass(frozen=True)
class Every(Grid):
    """The points `origin + k * length` (ms)."""

    length: int
    origin: int = 0

    @property
    def shortest(self) -> int:
        return self.length

    @property
    def longest(self) -> int:
        return self.length

    @property
    def unit(self) -> int:
        return math.gcd(self.length, self.origin)

    def bound(self, number: Ms) -> Ms:
        return number * self.length + self.origin

    def index(self, at: Ms) -> Ms:
        return (at - self.origin) // self.length

    def at_or_before(self, at: Ms) -> Ms:
        return at - (at - self.origin) % self.length

    def after(self, at: Ms) -> Ms:
        return at + self.length - (at - self.origin) % self.length

    def at_or_after(self, at: Ms) -> Ms:
        return at + (self.origin - at) % self.length

    def shifted(self, point: Ms, steps: int) -> Ms:
        return point + steps * self.length

    def steps(self, origin: int, point: Ms) -> Ms:
        return (point - origin) // self.length

    def stepped(self, origin: int, steps: Ms) -> Ms:
        return steps * self.length + origin

    def between(self, first: int, last: int) -> Iterator[int]:
        return iter(range(self.at_or_after(first), last + 1, self.length))

    def sequence(self, first: str, last: str) -> str:
        """
        >>> Every(600000).sequence("first", "last")
        'sequence(first, last, 600000L)'
        """
        return f"sequence({first}, {last}, {self.length}L)"

    def __str__(self) -> str:
        return format_duration(self.length)
