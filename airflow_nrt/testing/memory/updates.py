"""The changes of updating operators by one batch, or by one firing, in memory, in the order of the plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from airflow_nrt.home.log.entries import Position
from airflow_nrt.home.log.position.watermarks import operator_watermark
from airflow_nrt.model.operators import Query
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.updating import (
    RecentRows,
    RowsAtEnd,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)
from airflow_nrt.testing.memory.meaning import Meaning, Views
from airflow_nrt.testing.memory.recent import AtEnd, Recent
from airflow_nrt.testing.memory.rows import Change, Row, difference
from airflow_nrt.testing.memory.store import MemoryStore
from airflow_nrt.testing.memory.updating import Aggregate, Bounded, Held, Joined, Numbered, UpdatingMemory

_KINDS: Mapping[type[Updating], Callable[[Any, Meaning], UpdatingMemory[Any]]] = {
    UpdatingAggregate: Aggregate,
    UpdatingRows: Numbered,
    UpdatingSessions: Bounded,
    UpdatingJoin: Joined,
    RecentRows: Recent,
    RowsAtEnd: AtEnd,
}


class Updates:
    """Absorbs new rows. `files` is the state before and, once rows were absorbed, after that; `moments` are the
    watermarks (ms) that operators over recent rows are as of."""

    def __init__(self, plan: Plan, meaning: Meaning, store: MemoryStore, position: Position) -> None:
        self.files = dict(position.updating)
        self.moments = dict(position.moments)
        self._plan = plan
        self._meaning = meaning
        self._store = store
        self._sources = position.sources
        self._operators = [_KINDS[type(one)](one, meaning) for one in plan.updating]
        self._changes: dict[str, list[Change]] = {}

    def absorb(self, new_rows: Views) -> None:
        """Absorbs new rows of sources or windows, and passes the changes on to the operators above."""
        for memory in self._operators:
            operator = memory.operator
            queries = zip(memory.readers, operator.inputs)
            fed = [(name, one) for name, one in queries if {*one.inputs} & {*new_rows, *self._changes}]
            if fed or self._needs_first_result(operator):
                changes = [change for name, query in fed for change in self._read(name, query, new_rows)]
                self.files[operator.name], found = memory.absorb(self._held(operator), changes)
                if found is not None:
                    self._changes[operator.name] = found

    def move_on(self, moments: Mapping[str, int]) -> bool:
        """Moves operators over recent rows to these watermarks (ms), and emits rows that waited for the end of sources.
        False if that changes no row."""
        for memory in self._operators:
            name = memory.operator.name
            moved = memory.moved(self._held(memory.operator), moments[name]) if name in moments else None
            if moved is not None:
                (self.files[name], self._changes[name]), self.moments[name] = moved, moments[name]
        all_ended = all(source.ended for source in self._sources.values())
        if self._changes or (all_ended and any(map(self._needs_first_result, self._plan.updating))):
            self.absorb({})
        for memory in self._operators:
            below = {name for query in memory.operator.inputs for name in self._plan.sources_of(query)}
            has_ended = all(self._sources[name].ended for name in below)
            rows = memory.ended(self._held(memory.operator)) if has_ended else None
            if rows is not None:
                self._changes[memory.operator.name], self.files[memory.operator.name] = rows, ()
        return bool(self._changes)

    def changes(self) -> Iterator[tuple[Insert, list[Change]]]:
        """The inserts with something to publish, each with what changes a column of it."""
        for insert in self._plan.inserts:
            if {*insert.query.inputs} & {*self._changes}:
                changes = self._of(insert.name, insert.query, {})
                gone, come = ([Row(row.key, row.value) for own, row in changes if own == sign] for sign in "-+")
                yield insert, difference(gone, come)

    def _read(self, reader: str, query: Query, new_rows: Views) -> list[Change]:
        """What an operator reads by a query; of a join each value has its side."""
        _, _, side = reader.partition("/")
        changes = self._of(reader, query, new_rows)
        return [(sign, replace(row, value=(side, row.value))) for sign, row in changes] if side else changes

    def _of(self, reader: str, query: Query, new_rows: Views) -> list[Change]:
        """What a query makes of the rows that go, and of those that come."""
        found: list[Change] = []
        for sign in "-+":
            views: dict[str, Sequence[Row]] = {**new_rows} if sign == "+" else {}
            for name, changes in self._changes.items():
                views[name] = [row for own, row in changes if own == sign]
            found += [(sign, row) for row in self._meaning.rows(reader, views, query.inputs)]
        return found

    def _held(self, operator: Updating) -> Held:
        watermark = operator_watermark(None, self._sources, operator.forgets_by) if operator.forgets_by else None
        past = None if watermark is None else watermark - 1
        return Held(self._store, self.files[operator.name], self.moments.get(operator.name), past)

    def _needs_first_result(self, operator: Updating) -> bool:
        return operator.stands_alone and not self.files[operator.name]
