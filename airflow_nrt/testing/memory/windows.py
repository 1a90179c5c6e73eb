"""Window operators in memory: one class a family of windows, each with the partials that it stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from airflow_nrt.home.log.entries import OperatorState, StateFile
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.testing.memory.rows import Row, counted
from airflow_nrt.testing.memory.store import MemoryStore

Results = dict[int, list[Row]]
"""By window end (ms), the rows of the window."""


@dataclass(frozen=True)
class Partial:
    """Rows of a key that count in the windows whose ends lie from `first` to `last` (ms); a session has one window, and
    its `start`. `place` is the order of arrival, where that matters."""

    key: Any
    values: tuple[Any, ...]
    first: int
    last: int
    start: int = 0
    place: int = 0


@dataclass(frozen=True)
class Judged:
    """New partials, and how many rows missed a window, or all."""

    partials: Sequence[Partial]
    late: int
    dropped: int


class WindowMemory(ABC):
    """A window operator."""

    def __init__(self, operator: WindowAggregate, store: MemoryStore) -> None:
        self.operator = operator
        self.window = operator.window
        self.store = store

    @abstractmethod
    def absorb(self, rows: Iterable[Row], state: OperatorState) -> Judged:
        """The partials of new rows. No row of other windows is late."""

    @abstractmethod
    def peek(self, state: OperatorState, after: int, until: int) -> Results:
        """The windows with `after < end <= until`, as they are now."""

    @abstractmethod
    def fired(self, state: OperatorState, until: int) -> OperatorState:
        """The state once the windows up to `until` have fired."""

    def watermark(self, state: OperatorState) -> int | None:
        """The watermark (ms) by which rows are late."""
        return state.watermark if self.operator.sources else None

    def file(self, partials: Sequence[Partial]) -> tuple[StateFile, ...]:
        ends = [one.first for one in partials]
        return (self.store.write(self.operator.name, partials, min(ends), max(ends)),) if ends else ()

    def compact(self, state: OperatorState) -> OperatorState:
        """Rows that have not fired are merged three by three."""
        opened = Partials(state.rows).open_after(state.fired_until).files
        if len(opened) < 3:
            return state
        kept = tuple(one for one in state.rows if one not in opened)
        return replace(state, rows=(*kept, *self.file(self.store.read(opened))))


class Grid(WindowMemory):
    """TUMBLE, HOP and CUMULATE."""

    def absorb(self, rows: Iterable[Row], state: OperatorState) -> Judged:
        partials, late, dropped = [], 0, 0
        watermark = self.watermark(state)
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
        return Judged(partials, late, dropped)

    def peek(self, state: OperatorState, after: int, until: int) -> Results:
        rows: Results = {}
        for one in self._opened(state):
            for end in self.window.ends_between(max(after, one.first - 1), min(until, one.last)):
                rows.setdefault(end, []).extend(Row(one.key, value) for value in one.values)
        return {end: counted(found, end - 1) for end, found in rows.items()}

    def fired(self, state: OperatorState, until: int) -> OperatorState:
        closing = [one for one in self.store.read(state.rows) if state.fired_until < one.first <= until]
        new = self.file([one for one in closing if one.last > until])
        needed = Partials((*state.closed, *new)).in_windows_after(until, self.window)
        return replace(state, fired=until, rows=Partials(state.rows).open_after(until).files, closed=needed.files)

    def _opened(self, state: OperatorState) -> list[Partial]:
        """The partials that can be in windows that have not fired, each once."""
        rows = [one for one in self.store.read(state.rows) if one.first > state.fired_until]
        return [*rows, *self.store.read(state.closed)]


class Sessions(WindowMemory):
    """SESSION: rows of a key that follow each other within the gap."""

    def absorb(self, rows: Iterable[Row], state: OperatorState) -> Judged:
        gap, watermark, opened = self.window.longest, self.watermark(state), self._opened(state)
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
        return Judged(partials, late, late)

    def peek(self, state: OperatorState, after: int, until: int) -> Results:
        rows: Results = {}
        for one in merged(self._opened(state)):
            if after < one.last <= until:
                counts = (len(one.values), len({*one.values}))
                found = rows.setdefault(self.window.name(one.last), [])
                found.append(Row((one.key, one.start, one.last), counts, one.last - 1))
        return rows

    def fired(self, state: OperatorState, until: int) -> OperatorState:
        left = [one for one in merged(self._opened(state)) if one.last > until]
        return replace(state, fired=until, rows=(), closed=self.file(left))

    def _opened(self, state: OperatorState) -> list[Partial]:
        """The partials of sessions that have not fired. New ones may be of times that have."""
        return [*self.store.read(state.rows), *self.store.read(state.closed)]


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
