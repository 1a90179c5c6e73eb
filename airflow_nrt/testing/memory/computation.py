"""What computes a stream, in memory: window operators, groups that update, versions, and changes that wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from airflow_nrt.engine.driver.decide.actions import Absorb, BatchResult, Fire, Fired, Moved, MoveOn, Unreadable
from airflow_nrt.engine.driver.decide.released_state_files import Released
from airflow_nrt.home.log.due import fires_until
from airflow_nrt.home.log.entries import Lateness, OperatorState, Position, Published, Split, StateFile
from airflow_nrt.home.log.partition_watermarks import WHOLE
from airflow_nrt.home.log.state_kinds import Partials
from airflow_nrt.home.log.throttle import Waiting, waiting_after
from airflow_nrt.home.log.versions import StagedVersions, Touched, due_versions, has_sessions, versions_of
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import COMPLETE
from airflow_nrt.model.updating import UpdatingAggregate
from airflow_nrt.testing.memory.home import Change, MemoryHome
from airflow_nrt.testing.memory.rows import Row
from airflow_nrt.testing.memory.windows import Partial, Results, memory_of

Groups = dict[Any, tuple[Any, ...]]
"""By key, the values of a group that updates."""


class MemoryComputation:
    """A `Computation`. Each source's watermark lags its latest row by `delay` (ms)."""

    def __init__(self, home: MemoryHome, delay: int = 0) -> None:
        self._home = home
        self._plan = home.plan
        self._delay = delay
        self._operators = {one.name: memory_of(one) for one in home.plan.operators}
        _check(home.plan)
        self._written: set[str] = set()
        self._released = Released()

    def tune(self, files: Iterable[Split | StateFile]) -> bool:
        return True

    def untune(self) -> None:
        pass

    def set_clock(self, clock: int) -> Mapping[str, str]:
        return {}

    # ------------------------------------------------------------------ batches

    def absorb(self, action: Absorb, last: int) -> BatchResult | Unreadable:
        parts: dict[str, Sequence[Row]] = {}
        for split in action.splits:
            if not split.corrupt:
                for part, rows in self._home.rows[split.name].items():
                    parts[part] = [*parts.get(part, ()), *rows]
        rows = [row for found in parts.values() for row in found]
        late, partials, touched = [], {}, {}
        for operator in self._plan.readers(action.batch.source.name):
            state = action.position.operators[operator.name]
            opened = self._opened(state)
            judged = self._operators[operator.name].absorb(rows, opened, state.watermark)
            if judged.late:
                late.append(Lateness(operator.name, judged.late, judged.dropped))
            if judged.partials:
                partials[operator.name] = self._file(operator.name, judged.partials)
                touched[operator.name] = [Touched(one.first, one.last, 1) for one in judged.partials]
        updating, changes = self._updated(action.position, rows)
        published, waiting = self._emitted(changes, waiting_after(self._plan, action.position, ()))
        return BatchResult(
            number=last + 1,
            row_count=len(rows),
            proposals={part: self._proposal(found) for part, found in parts.items()} or {WHOLE: None},
            partials=partials,
            updating=updating,
            published=tuple(published),
            late=tuple(late),
            touched=touched,
            waiting=waiting,
        )

    def _proposal(self, rows: Sequence[Row]) -> int | None:
        return max((row.at - self._delay for row in rows), default=None)

    def _updated(
        self, position: Position, rows: Sequence[Row]
    ) -> tuple[dict[str, tuple[StateFile, ...]], dict[str, tuple[Change, ...]]]:
        """The groups of each updating operator after these rows, and how they change."""
        updating: dict[str, tuple[StateFile, ...]] = {}
        changes: dict[str, tuple[Change, ...]] = {}
        for operator in self._plan.updating if rows else ():
            before = self._groups(position.updating[operator.name])
            after = {**before}
            for row in rows:
                after[row.key] = (*after.get(row.key, ()), row.value)
            updating[operator.name] = (self._put(operator.name, after, 0, 0, len(after)),)
            touched = {row.key: None for row in rows}
            sides = (("-", before), ("+", after))
            changes[operator.name] = tuple(
                (sign, (key, len(groups[key]), len({*groups[key]})))
                for key in touched
                for sign, groups in sides
                if key in groups
            )
        return updating, changes

    # ------------------------------------------------------------------ firing

    def fire(self, action: Fire, last: int) -> Fired:
        position = action.position
        states, fired = dict(position.operators), {}
        due = {one.name: fires_until(one, states[one.name]) for one in self._plan.operators}
        for group in self._plan.groups:
            ends = [end for name in group if (end := due[name]) is not None]
            due.update({name: max(ends) for name in group} if ends else {})
        for operator in self._plan.operators:
            until = due[operator.name]
            if until is not None:
                fired[operator.name], states[operator.name] = self._fire(operator.name, states[operator.name], until)
        published = [
            one
            for insert in self._plan.inserts
            if insert.timing.publishes_once and set(insert.operators) & set(fired)
            for one in self._staged(insert, fired[insert.operators[0]], COMPLETE)
        ]
        versions = {one.name: self._versions(one, position) for one in self._plan.versioned}
        published += [one for staged in versions.values() for one in staged.published]
        for insert in action.throttled:
            published.append(self._change(insert, self._net(position.versions[insert.name].shown)))
        waiting = waiting_after(self._plan, position, action.throttled)
        return Fired(states, tuple(published), versions, position.updating, waiting, position.tables)

    def _fire(self, name: str, state: OperatorState, until: int) -> tuple[Results, OperatorState]:
        operator, after = self._operators[name], state.fired_until
        opened = self._opened(state)
        results = operator.results(opened, after, until)
        if not operator.window.ends_on_grid:
            left = operator.kept(opened, until)
            closed = (self._file(name, left),) if left else ()
            return results, replace(state, fired=until, rows=(), closed=closed)
        closing = [one for file in state.rows for one in self._partials(file) if after < one.first <= until]
        left = operator.kept(closing, until)
        new = (self._file(name, left),) if left else ()
        needed = Partials((*state.closed, *new)).in_windows_after(until, operator.window)
        rows = Partials(state.rows).open_after(until)
        return results, replace(state, fired=until, rows=rows.files, closed=needed.files)

    def _versions(self, insert: Insert, position: Position) -> StagedVersions:
        before = versions_of(position, insert)
        due = due_versions(insert, position.operators, before)
        if not due:
            return StagedVersions({}, (), before.shown)
        (name,) = insert.operators
        state = position.operators[name]
        found = self._operators[name].results(self._opened(state), min(due) - 1, max(due))
        staged = (one for end, state in due.items() for one in self._staged(insert, _only(found, end), state))
        return StagedVersions(due, tuple(staged), ())

    def move_on(self, action: MoveOn, last: int) -> Moved | None:
        return None

    def compact(self, operators: Mapping[str, OperatorState]) -> Mapping[str, OperatorState]:
        """Rows that have not fired are merged three by three."""
        return {name: self._compacted(name, state) for name, state in operators.items()}

    def _compacted(self, name: str, state: OperatorState) -> OperatorState:
        opened = Partials(state.rows).open_after(state.fired_until).files
        if len(opened) < 3:
            return state
        partials = [one for file in opened for one in self._partials(file)]
        kept = tuple(one for one in state.rows if one not in opened)
        return replace(state, rows=(*kept, self._file(name, partials)))

    # ------------------------------------------------------------------ results and changes

    def _staged(self, insert: Insert, results: Results, state: str) -> list[Published]:
        return [self._window(insert, end, rows, state) for end, rows in sorted(results.items())]

    def _window(self, insert: Insert, end: int, rows: Any, state: str) -> Published:
        staged = self._home.put(self._home.staged, rows, "staged/window")
        start = insert.window.start(end) if insert.window is not None else None
        target = str(end)
        if insert.timing.publishes_once and insert.window is not None and not insert.window.ends_on_grid:
            # The sessions of a slot may fire in several rounds.
            target = f"{end}{staged.rpartition('-')[2]:0>12}"
        return Published(insert.name, start, end, state, len(rows), "", staged, target)

    def _emitted(self, changes: Mapping[str, tuple[Change, ...]], waiting: Waiting) -> tuple[list[Published], Waiting]:
        published, held = [], {**waiting}
        for insert in self._plan.inserts:
            found = [change for name in insert.query.inputs for change in changes.get(name, ())]
            if not found:
                continue
            if insert in self._plan.throttled:
                held[insert.name] = (*waiting[insert.name], self._put(insert.name, tuple(found), 0, 0, len(found)))
            else:
                published.append(self._change(insert, tuple(found)))
        return published, held

    def _change(self, insert: Insert, changes: tuple[Change, ...]) -> Published:
        staged = self._home.put(self._home.staged, changes, "staged/changes")
        return Published(insert.name, None, None, "changed", len(changes), "", staged, staged)

    def _net(self, files: Iterable[StateFile]) -> tuple[Change, ...]:
        """The difference between the first and the last row of each key."""
        first: dict[Any, Change] = {}
        last: dict[Any, Change] = {}
        for sign, row in (change for file in files for change in self._home.state[file.path]):
            first.setdefault(row[0], (sign, row))
            last[row[0]] = (sign, row)
        return (*(one for one in first.values() if one[0] == "-"), *(one for one in last.values() if one[0] == "+"))

    # ------------------------------------------------------------------ state

    def stand_at(self, position: Position) -> None:
        for path in (path for files in self._released.after(position.files(), self._written) for path in files):
            self._home.state.pop(path, None)
            self._written.discard(path)

    def _opened(self, state: OperatorState) -> list[Partial]:
        """The partials that can be in windows that have not fired, each once."""
        rows = [one for file in state.rows for one in self._partials(file) if one.first > state.fired_until]
        return [*rows, *(one for file in state.closed for one in self._partials(file))]

    def _partials(self, file: StateFile) -> tuple[Partial, ...]:
        found: tuple[Partial, ...] = self._home.state[file.path]
        return found

    def _groups(self, files: Sequence[StateFile]) -> Groups:
        return dict(self._home.state[files[-1].path]) if files else {}

    def _file(self, name: str, partials: Sequence[Partial]) -> StateFile:
        ends = [one.first for one in partials]
        return self._put(name, tuple(partials), min(ends), max(ends), len(partials))

    def _put(self, name: str, content: Any, first: int, last: int, rows: int) -> StateFile:
        path = self._home.put(self._home.state, content, f"state/{name}")
        self._written.add(path)
        return StateFile(path, first, last, rows)


def _check(plan: Plan) -> None:
    """Raises NotImplementedError for a plan that is not computed in memory."""
    lacking = [f"versions of sessions ({one.name})" for one in plan.versioned if has_sessions(one)]
    lacking += [f"lookups of {one.name}" for one in plan.lookups]
    lacking += [one.name for one in plan.updating if not isinstance(one, UpdatingAggregate) or one.changing]
    lacking += [one.name for one in plan.operators if not one.sources]
    if lacking:
        raise NotImplementedError(f"there is no memory implementation of {', '.join(lacking)}: try it on Spark")


def _only(results: Results, end: int) -> Results:
    return {end: results[end]} if end in results else {}
