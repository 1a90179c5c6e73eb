"""Updating operators in memory: most compare the result of all rows so far with the one before."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.updating import Updating, UpdatingAggregate, UpdatingJoin, UpdatingRows, UpdatingSessions
from airflow_nrt.testing.memory.meaning import Meaning
from airflow_nrt.testing.memory.rows import Change, Row, changed, counted, difference
from airflow_nrt.testing.memory.store import MemoryStore
from airflow_nrt.testing.memory.windows import Partial, merged

Files = tuple[StateFile, ...]
LEFT, RIGHT = "left", "right"
_Operator = TypeVar("_Operator", bound=Updating)


@dataclass(frozen=True)
class Held:
    """An operator's state before a batch. `moment` is the watermark (ms) that it is as of, `past` the one up to which
    rows have expired; None before there is any."""

    store: MemoryStore
    files: Files
    moment: int | None
    past: int | None

    @property
    def rows(self) -> list[Row]:
        return self.store.read(self.files)


class UpdatingMemory(ABC, Generic[_Operator]):
    """An updating operator."""

    def __init__(self, operator: _Operator, meaning: Meaning) -> None:
        self.operator = operator
        self.meaning = meaning

    @property
    def readers(self) -> tuple[str, ...]:
        """The names of its queries."""
        return (self.operator.name,)

    @abstractmethod
    def absorb(self, held: Held, changes: Sequence[Change]) -> tuple[Files, list[Change] | None]:
        """The state after these changes of its input, and those of its result; None if nothing can change yet."""

    def moved(self, held: Held, to: int) -> tuple[Files, list[Change]] | None:
        """The state at the watermark `to` (ms), and what changes by that; None if nothing can."""
        return None

    def ended(self, held: Held) -> list[Change] | None:
        """What changes once all sources below have ended; None if nothing does."""
        return None


class Compared(UpdatingMemory[_Operator]):
    """One whose result follows from all rows so far."""

    @abstractmethod
    def result(self, rows: Sequence[Row]) -> list[Row]:
        """The result of these rows, which are in their order of arrival."""

    def remembered(self, rows: Sequence[Row], past: int | None) -> Sequence[Row]:
        """The rows that are needed after the watermark `past` (ms)."""
        return rows

    def absorb(self, held: Held, changes: Sequence[Change]) -> tuple[Files, list[Change] | None]:
        before = self.remembered(held.rows, held.past)
        after = changed(before, changes)
        # Also the result of no rows is new once.
        known = self.result(before) if held.files else []
        return (held.store.write(self.operator.name, after),), difference(known, self.result(after))


class Aggregate(Compared[UpdatingAggregate]):
    """GROUP BY. Without keys there is one group, also of no rows."""

    def result(self, rows: Sequence[Row]) -> list[Row]:
        return counted(rows) if rows or self.operator.keys else [Row((), (0, 0))]


class Numbered(Compared[UpdatingRows]):
    """Top-N and deduplication: rows with their number among those of equal key."""

    def result(self, rows: Sequence[Row]) -> list[Row]:
        partitions: dict[Any, list[Row]] = {}
        for row in rows:
            partitions.setdefault(row.key, []).append(row)
        return [
            Row(row.key, (row.value, number), row.at)
            for found in partitions.values()
            for number, row in enumerate(self.meaning.ordered(self.operator.name, found), 1)
            if self.operator.limit is None or number <= self.operator.limit
        ]


class Bounded(Compared[UpdatingSessions]):
    """Rows with the bounds of their session."""

    def result(self, rows: Sequence[Row]) -> list[Row]:
        gap = self.operator.gap
        alone = (Partial(one.key, (one,), one.at + gap, one.at + gap, one.at) for one in rows)
        sessions = ((row, one) for one in merged(alone) for row in one.values)
        return [Row(row.key, (row.value, one.start, one.last), row.at) for row, one in sessions]


class Joined(Compared[UpdatingJoin]):
    """Joins of rows with equal keys, whose times may have an interval. The value of a row is its side, and the rest."""

    @property
    def readers(self) -> tuple[str, ...]:
        return f"{self.operator.name}/{LEFT}", f"{self.operator.name}/{RIGHT}"

    def result(self, rows: Sequence[Row]) -> list[Row]:
        left, right = ([row for row in rows if row.value[0] == side] for side in (LEFT, RIGHT))
        alone = [one for one in left if not any(self._match(one, other) for other in right)]
        lonely = [one for one in right if not any(self._match(other, one) for other in left)]
        kind = self.operator.kind
        if self.operator.filters:
            return [Row(one.key, one.value[1]) for one in left if (one in alone) == (kind == "ANTI")]
        pairs = [(one, other) for one in left for other in right if self._match(one, other)]
        found = [Row(one.key, (one.value[1], other.value[1])) for one, other in pairs]
        found += [Row(one.key, (one.value[1], None)) for one in alone if kind in ("LEFT", "FULL")]
        return found + [Row(one.key, (None, one.value[1])) for one in lonely if kind in ("RIGHT", "FULL")]

    def remembered(self, rows: Sequence[Row], past: int | None) -> Sequence[Row]:
        if past is None or self.operator.interval is None:
            return rows
        least, most = self.operator.interval
        needed = {LEFT: -least, RIGHT: most}
        return [row for row in rows if row.at + needed[row.value[0]] > past]

    def _match(self, left: Row, right: Row) -> bool:
        least, most = self.operator.interval or (left.at - right.at, left.at - right.at)
        return left.key is not None and left.key == right.key and least <= left.at - right.at <= most
