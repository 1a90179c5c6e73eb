"""Updating operators in memory: the result of all rows so far, which is compared with the one before."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from airflow_nrt.model.updating import (
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)
from airflow_nrt.testing.memory.meaning import Meaning
from airflow_nrt.testing.memory.rows import Row, counted
from airflow_nrt.testing.memory.windows import Partial, merged

LEFT, RIGHT = "left", "right"
_Operator = TypeVar("_Operator", bound=Updating)


class UpdatingMemory(ABC, Generic[_Operator]):
    """An updating operator."""

    def __init__(self, operator: _Operator, meaning: Meaning) -> None:
        self.operator = operator
        self.meaning = meaning

    @abstractmethod
    def result(self, rows: Sequence[Row]) -> list[Row]:
        """The result of all rows, in their order of arrival."""

    def remembered(self, rows: Sequence[Row], past: int | None) -> Sequence[Row]:
        """The rows that are needed after the watermark `past` (ms)."""
        return rows


class Aggregate(UpdatingMemory[UpdatingAggregate]):
    """GROUP BY. Without keys there is one group, also of no rows."""

    def result(self, rows: Sequence[Row]) -> list[Row]:
        return counted(rows) if rows or self.operator.keys else [Row((), (0, 0))]


class Numbered(UpdatingMemory[UpdatingRows]):
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


class Bounded(UpdatingMemory[UpdatingSessions]):
    """Rows with the bounds of their session."""

    def result(self, rows: Sequence[Row]) -> list[Row]:
        gap = self.operator.gap
        alone = (Partial(one.key, (one,), one.at + gap, one.at + gap, one.at) for one in rows)
        sessions = ((row, one) for one in merged(alone) for row in one.values)
        return [Row(row.key, (row.value, one.start, one.last), row.at) for row, one in sessions]


class Joined(UpdatingMemory[UpdatingJoin]):
    """Pairs of rows with equal keys. The value of a row is its side, and what it has beside the key. An interval is one
    of the rows' times."""

    def result(self, rows: Sequence[Row]) -> list[Row]:
        kind = self.operator.kind
        sides = {side: [row for row in rows if row.value[0] == side] for side in (LEFT, RIGHT)}
        pairs = [(one, other) for one in sides[LEFT] for other in sides[RIGHT] if self._match(one, other)]
        alone = {
            LEFT: [one for one in sides[LEFT] if not any(self._match(one, other) for other in sides[RIGHT])],
            RIGHT: [one for one in sides[RIGHT] if not any(self._match(other, one) for other in sides[LEFT])],
        }
        if kind == "SEMI":
            return [Row(one.key, one.value[1]) for one in sides[LEFT] if one not in alone[LEFT]]
        if kind == "ANTI":
            return [Row(one.key, one.value[1]) for one in alone[LEFT]]
        found = [Row(one.key, (one.value[1], other.value[1])) for one, other in pairs]
        found += [Row(one.key, (one.value[1], None)) for one in alone[LEFT] if kind in ("LEFT", "FULL")]
        return found + [Row(one.key, (None, one.value[1])) for one in alone[RIGHT] if kind in ("RIGHT", "FULL")]

    def remembered(self, rows: Sequence[Row], past: int | None) -> Sequence[Row]:
        if past is None or self.operator.interval is None:
            return rows
        least, most = self.operator.interval
        needed = {LEFT: -least, RIGHT: most}
        return [row for row in rows if row.at + needed[row.value[0]] > past]

    def _match(self, left: Row, right: Row) -> bool:
        least, most = self.operator.interval or (left.at - right.at, left.at - right.at)
        return left.key is not None and left.key == right.key and least <= left.at - right.at <= most


_KINDS: Mapping[type[Updating], Callable[[Any, Meaning], UpdatingMemory[Any]]] = {
    UpdatingAggregate: Aggregate,
    UpdatingRows: Numbered,
    UpdatingSessions: Bounded,
    UpdatingJoin: Joined,
}


def memory_of(operator: Updating, meaning: Meaning) -> UpdatingMemory[Any]:
    return _KINDS[type(operator)](operator, meaning)


def reader_names(operator: Updating) -> Iterable[str]:
    """The names of its queries."""
    sides = (LEFT, RIGHT) if isinstance(operator, UpdatingJoin) else ()
    return [f"{operator.name}/{side}" for side in sides] or [operator.name]
