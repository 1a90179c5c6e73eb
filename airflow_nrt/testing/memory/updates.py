"""The changes of updating operators by one batch, or by one firing, in memory, in the order of the plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from airflow_nrt.home.log.entries import Position
from airflow_nrt.home.log.state_kinds import RowsByTime
from airflow_nrt.home.log.watermarks import operator_watermark
from airflow_nrt.model.operators import Query
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.updating import RecentRows, RowsAtEnd, Updating
from airflow_nrt.testing.memory.meaning import Meaning, Views
from airflow_nrt.testing.memory.rows import Change, Row, changed, difference
from airflow_nrt.testing.memory.store import MemoryStore
from airflow_nrt.testing.memory.updating import memory_of, reader_names


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
        self._changes: dict[str, list[Change]] = {}

    def absorb(self, new_rows: Views) -> None:
        """Absorbs new rows of sources or windows, and passes the changes on to the operators above."""
        for operator in self._plan.updating:
            readers = dict(zip(reader_names(operator), operator.inputs))
            fed = {name: one for name, one in readers.items() if {*one.inputs} & {*new_rows, *self._changes}}
            if not fed and not self._needs_first_result(operator):
                continue
            changes = [change for name, query in fed.items() for change in self._read(name, query, new_rows)]
            if isinstance(operator, RecentRows):
                self._absorb_recent(operator, [row for _, row in changes])
            elif isinstance(operator, RowsAtEnd):
                self._hold(operator, changes)
            else:
                self._compare(operator, changes)

    def move_on(self, moments: Mapping[str, int]) -> bool:
        """Moves operators over recent rows to these watermarks (ms), and emits rows that waited for the end of sources.
        False if that changes no row."""
        for operator in self._plan.updating:
            if isinstance(operator, RecentRows) and operator.name in moments:
                self._move(operator, moments[operator.name])
        all_ended = all(source.ended for source in self._sources.values())
        if self._changes or (all_ended and any(map(self._needs_first_result, self._plan.updating))):
            self.absorb({})
        for waiting in (one for one in self._plan.updating if isinstance(one, RowsAtEnd)):
            below = {name for query in waiting.inputs for name in self._plan.sources_of(query)}
            if self.files[waiting.name] and all(self._sources[name].ended for name in below):
                rows = self._store.read(self.files[waiting.name])
                self._changes[waiting.name] = [("+", row) for row in rows]
                self.files[waiting.name] = ()
        return bool(self._changes)

    def changes(self) -> Iterator[tuple[Insert, list[Change]]]:
        """The inserts with something to publish."""
        for insert in self._plan.inserts:
            if {*insert.query.inputs} & {*self._changes}:
                yield insert, _net(self._of(insert.name, insert.query, {}))

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

    def _compare(self, operator: Updating, changes: Iterable[Change]) -> None:
        """The result before and after these changes of its input."""
        memory = memory_of(operator, self._meaning)
        before = memory.remembered(self._store.read(self.files[operator.name]), self._past(operator))
        after = changed(before, changes)
        results = [] if self._needs_first_result(operator) else memory.result(before)
        self._changes[operator.name] = difference(results, memory.result(after))
        self.files[operator.name] = (self._store.write(operator.name, after),)

    def _hold(self, operator: Updating, changes: Sequence[Change]) -> None:
        if changes:
            rows = changed(self._store.read(self.files[operator.name]), changes)
            self.files[operator.name] = (self._store.write(operator.name, rows),)

    def _absorb_recent(self, operator: RecentRows, rows: Iterable[Row]) -> None:
        moment = self.moments.get(operator.name)
        kept = [row for row in rows if moment is None or row.at >= moment - operator.span]
        times = [row.at for row in kept]
        if kept:
            file = self._store.write(operator.name, kept, min(times), max(times))
            self.files[operator.name] = (*self.files[operator.name], file)
        self._changes[operator.name] = [("+", row) for row in _recent(operator, kept, moment)]

    def _move(self, operator: RecentRows, to: int) -> None:
        was, files = self.moments.get(operator.name), RowsByTime(self.files[operator.name])
        oldest = to - operator.span
        come_or_go = [(oldest, to)] if was is None else [(was - operator.span, oldest - 1), (was + 1, to)]
        if files.within(come_or_go).files:
            rows = self._store.read(files.files)
            self._changes[operator.name] = difference(_recent(operator, rows, was), _recent(operator, rows, to))
            self.files[operator.name] = files.since(oldest).files
            self.moments[operator.name] = to

    def _past(self, operator: Updating) -> int | None:
        watermark = operator_watermark(None, self._sources, operator.forgets_by) if operator.forgets_by else None
        return None if watermark is None else watermark - 1

    def _needs_first_result(self, operator: Updating) -> bool:
        return operator.stands_alone and not self.files[operator.name]


def _net(changes: Sequence[Change]) -> list[Change]:
    """The changes without those that change no column."""
    rows = {sign: [Row(row.key, row.value) for own, row in changes if own == sign] for sign in "-+"}
    return difference(rows["-"], rows["+"])


def _recent(operator: RecentRows, rows: Iterable[Row], moment: int | None) -> list[Row]:
    """The rows of the result as of a watermark (ms)."""
    return [] if moment is None else [row for row in rows if moment - operator.span <= row.at <= moment]
