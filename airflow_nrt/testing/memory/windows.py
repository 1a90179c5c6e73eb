"""Window operators in memory: one class a family of windows, each with the partials that it stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.windows import Window
from airflow_nrt.testing.memory.rows import Count, Row, counted

Results = dict[int, frozenset[Count]]
"""By window end (ms), the rows of the window."""


@dataclass(frozen=True)
class Partial:
    """Rows of a key that count in the windows whose ends lie from `first` to `last` (ms); a session has one window, and
    its `start`."""

    key: Any
    values: tuple[Any, ...]
    first: int
    last: int
    start: int = 0


@dataclass(frozen=True)
class Judged:
    """New partials, and how many rows missed a window, or all."""

    partials: tuple[Partial, ...]
    late: int
    dropped: int


class WindowMemory(ABC):
    """A window operator. `watermark` (ms) is that before the batch."""

    def __init__(self, window: Window) -> None:
        self.window = window

    @abstractmethod
    def absorb(self, rows: Iterable[Row], opened: Sequence[Partial], watermark: int | None) -> Judged:
        """The partials of new rows. `opened` are those that have not fired."""

    @abstractmethod
    def results(self, partials: Iterable[Partial], after: int, until: int) -> Results:
        """The windows with `after < end <= until`."""

    @abstractmethod
    def kept(self, partials: Iterable[Partial], until: int) -> tuple[Partial, ...]:
        """What windows that end after `until` need of partials that fire by then."""


class Grid(WindowMemory):
    """TUMBLE, HOP and CUMULATE."""

    def absorb(self, rows: Iterable[Row], opened: Sequence[Partial], watermark: int | None) -> Judged:
        partials, late, dropped = [], 0, 0
        for row in rows:
            own = self.window.slice_end(row.at)
            first, last = self.window.first_end(own), self.window.last_end(own)
            if first > last:
                # In a gap of HOP a row is in no window, and not late.
                continue
            counts = first if watermark is None else self.window.counted_from(own, watermark)
            late += counts > first
            dropped += counts > last
            if counts <= last:
                partials.append(Partial(row.key, (row.value,), counts, last))
        return Judged(tuple(partials), late, dropped)

    def results(self, partials: Iterable[Partial], after: int, until: int) -> Results:
        rows: dict[int, list[tuple[Any, Any]]] = {}
        for one in partials:
            for end in self.window.ends_between(max(after, one.first - 1), min(until, one.last)):
                rows.setdefault(end, []).extend((one.key, value) for value in one.values)
        return {end: counted(found) for end, found in rows.items()}

    def kept(self, partials: Iterable[Partial], until: int) -> tuple[Partial, ...]:
        return tuple(one for one in partials if one.last > until)


class Sessions(WindowMemory):
    """SESSION: rows of a key that follow each other within the gap."""

    def absorb(self, rows: Iterable[Row], opened: Sequence[Partial], watermark: int | None) -> Judged:
        gap = self.window.size
        alone = [Partial(one.key, (one.value,), one.at + gap, one.at + gap, one.at) for one in rows]
        partials, late = [], 0
        for island in merged(alone):
            whole = merged([island, *opened])
            (session,) = (one for one in whole if one.key == island.key and one.start <= island.start <= one.last)
            if watermark is not None and session.last - 1 <= watermark:
                late += len(island.values)
            else:
                partials.append(island)
                opened = [*opened, island]
        return Judged(tuple(partials), late, late)

    def results(self, partials: Iterable[Partial], after: int, until: int) -> Results:
        rows: dict[int, list[Count]] = {}
        for one in merged(partials):
            if after < one.last <= until:
                slot = self.window.name(one.last)
                rows.setdefault(slot, []).append(((one.key, one.start, one.last), len(one.values), len({*one.values})))
        return {slot: frozenset(found) for slot, found in rows.items()}

    def kept(self, partials: Iterable[Partial], until: int) -> tuple[Partial, ...]:
        return tuple(one for one in merged(partials) if one.last > until)


def merged(partials: Iterable[Partial]) -> list[Partial]:
    """Sessions of partials that touch."""
    found: list[Partial] = []
    for one in sorted(partials, key=lambda one: (repr(one.key), one.start)):
        before = found[-1] if found else None
        if before is not None and before.key == one.key and one.start <= before.last:
            end = max(before.last, one.last)
            found[-1] = Partial(one.key, before.values + one.values, end, end, before.start)
        else:
            found.append(one)
    return found


def memory_of(operator: WindowAggregate) -> WindowMemory:
    """Raises NotImplementedError for windows that are not in memory."""
    if operator.window.ends_on_grid:
        return Grid(operator.window)
    if operator.window.bounded_by_rows:
        return Sessions(operator.window)
    raise NotImplementedError(f"{operator.window} has no memory implementation: try it on Spark")
