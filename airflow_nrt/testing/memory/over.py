"""OVER in memory: each row with the number of rows, and of distinct values, in each of its frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from airflow_nrt.basics.instants import BEFORE_TIME, LAST_MINUTE
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.model.operators import RowFrame
from airflow_nrt.testing.memory.rows import Row
from airflow_nrt.testing.memory.windows import Judged, Partial, Results, WindowMemory


class Over(WindowMemory):
    """All rows are kept, those that have fired in `closed`. The key of a row is what its frames are partitioned by.

    `first` and `last` of a partial are the time (ms) with which its row fires. Its `start` says which rows see each
    other: a key that was idle for long is forgotten, and begins anew.
    """

    def absorb(self, rows: Iterable[Row], state: OperatorState) -> Judged:
        watermark, before = self.watermark(state), self._every(state)
        partials: list[Partial] = []
        late = 0
        for row in rows:
            fires = row.at + 1 + self.operator.following
            own = [one for one in before if one.key == row.key]
            start = self._start(own, BEFORE_TIME if watermark is None else watermark)
            passed = watermark is not None and row.at <= watermark
            overtaken = any(fires <= one.first <= state.fired_until for one in own if one.start == start)
            if passed if self.operator.strict else overtaken:
                late += 1
            else:
                place = len(before) + len(partials)
                partials.append(Partial(row.key, (row.value,), fires, fires, start, place))
        return Judged(partials, late, late)

    def peek(self, state: OperatorState, after: int, until: int) -> Results:
        """Rows that have not fired may be of times that have."""
        every, found = self._every(state), Results()
        new = {one.place for one in self.store.read(state.rows)}
        for key, start in dict.fromkeys((one.key, one.start) for one in every):
            seen = sorted((one for one in every if (one.key, one.start) == (key, start)), key=lambda one: one.first)
            for n, fires in enumerate(self._fires(seen)):
                if fires <= until and (fires > after or seen[n].place in new):
                    row = self._counted(key, seen, n)
                    found.setdefault(self.window.name(fires), []).append(row)
        return found

    def fired(self, state: OperatorState, until: int) -> OperatorState:
        every, last = self._every(state), max(state.fired_until, until)
        closed = self.file([one for one in every if one.first <= last])
        return replace(state, fired=last, rows=self.file([one for one in every if one.first > last]), closed=closed)

    def _every(self, state: OperatorState) -> list[Partial]:
        """All rows, in the order of their arrival."""
        return sorted([*self.store.read(state.closed), *self.store.read(state.rows)], key=lambda one: one.place)

    def _start(self, rows: Sequence[Partial], began: int) -> int:
        """What a row of a key sees that arrives in a batch which began at this watermark.

        As in Flink, a row after which less than one frame is left prolongs its key by one and a half.
        """
        if not self.operator.forgets:
            return BEFORE_TIME
        longest = max(frame.low or 0 for frame in self.operator.frames)
        newest = max((one.start for one in rows), default=began)
        expires = BEFORE_TIME
        for one in rows:
            if one.start == newest and expires < one.first + longest:
                expires = one.first + longest * 3 // 2
        return newest if expires > began or newest == began else began

    def _fires(self, rows: Sequence[Partial]) -> Iterator[int]:
        """When each row fires: with itself, or with the last of the rows that it waits for."""
        return (one.first for one in [*rows, *[_NEVER] * self.operator.followers][self.operator.followers :])

    def _counted(self, key: Any, rows: Sequence[Partial], n: int) -> Row:
        counts: list[int] = []
        for frame in dict.fromkeys(self.operator.frames):
            values = [value for one in _within(frame, rows, n) for value in one.values]
            counts += (len(values), len({*values}))
        return Row(key, (*rows[n].values, *counts), rows[n].first - 1 - self.operator.following)


_NEVER = Partial(None, (), LAST_MINUTE, LAST_MINUTE)


def _within(frame: RowFrame, rows: Sequence[Partial], n: int) -> Iterator[Partial]:
    """The rows in the frame of the n-th row."""
    places = [one.first if frame.unit == "RANGE" else number for number, one in enumerate(rows)]
    for place, one in zip(places, rows):
        if (frame.low is None or places[n] - frame.low <= place) and place <= places[n] - frame.high:
            yield one
