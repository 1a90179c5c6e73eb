"""What computes a stream, in memory: windows and their versions, updating operators, and changes that wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from airflow_nrt.engine.driver.decide.actions import Absorb, BatchResult, Fire, Fired, Moved, MoveOn, Unreadable
from airflow_nrt.home.log.entries import Commit, Lateness, OperatorState, Position, Published, StateFile, Tick
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.log.position.partition_watermarks import WHOLE
from airflow_nrt.home.log.position.throttle import Waiting, waiting_after
from airflow_nrt.home.log.position.versions import StagedVersions, Touched, due_versions, has_sessions, versions_of
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import COMPLETE
from airflow_nrt.model.updating import UpdatingJoin, UpdatingRows
from airflow_nrt.testing.memory.firing import Round
from airflow_nrt.testing.memory.home import MemoryHome
from airflow_nrt.testing.memory.over import Over
from airflow_nrt.testing.memory.rows import Change, Row
from airflow_nrt.testing.memory.store import MemoryStore
from airflow_nrt.testing.memory.updates import Updates
from airflow_nrt.testing.memory.windows import Grid, Sessions, WindowMemory


class MemoryComputation:
    """A `Computation`. Each source's watermark lags its latest row by `delay` (ms)."""

    def __init__(self, home: MemoryHome, delay: int = 0) -> None:
        _check(home.plan)
        self._home = home
        self._plan = home.plan
        self._delay = delay
        self._store = MemoryStore(home)
        self._operators = {one.name: _memory_of(one, self._store) for one in home.plan.operators}

    def tune(self, files: Iterable[Split | StateFile]) -> bool:
        return True

    def untune(self) -> None:
        pass

    def set_clock(self, clock: int) -> Mapping[str, str]:
        return {one.name: str(len(self._home.dimensions[one.name])) for one in self._plan.lookups}

    # ------------------------------------------------------------------ batches

    def absorb(self, action: Absorb, last: int) -> BatchResult | Unreadable:
        source = action.batch.source.name
        parts: dict[str, Sequence[Row]] = {}
        for split in action.splits:
            if not split.corrupt:
                for part, rows in self._home.rows[split.name].items():
                    parts[part] = [*parts.get(part, ()), *rows]
        rows = [row for found in parts.values() for row in found]
        versions = action.batch.dimensions.items()
        views = {source: rows, **{name: self._home.dimensions[name][int(version) - 1] for name, version in versions}}
        late, partials, touched = [], {}, {}
        for operator in self._plan.readers(source):
            state, name = action.position.operators[operator.name], operator.name
            read = self._home.meaning.rows(name, views, operator.input.inputs)
            judged = self._operators[name].absorb(read, state)
            if judged.late:
                late.append(Lateness(name, judged.late, judged.dropped))
            if judged.partials:
                (partials[name],) = self._operators[name].file(judged.partials)
                touched[name] = [Touched(one.first, one.last, 1) for one in judged.partials]
        published = []
        for insert in self._plan.passing(source):
            passed = self._home.meaning.rows(insert.name, views, insert.query.inputs)
            published += self._changes(insert, [("+", row) for row in passed])
        updates = self._updates(action.position)
        updates.absorb({source: rows} if self._plan.updated_by(source) else {})
        changes, waiting = self._emitted(updates, waiting_after(self._plan, action.position, ()))
        return BatchResult(
            number=last + 1,
            row_count=len(rows),
            proposals={part: self._proposal(found) for part, found in parts.items()} or {WHOLE: None},
            partials=partials,
            updating=updates.files,
            published=(*published, *changes),
            late=tuple(late),
            touched=touched,
            waiting=waiting,
        )

    def _proposal(self, rows: Sequence[Row]) -> int | None:
        return max((row.at - self._delay for row in rows), default=None)

    # ------------------------------------------------------------------ firing

    def fire(self, action: Fire, last: int) -> Fired:
        position = action.position
        fired = self._round(position)
        fired.fire()
        once = [insert for insert in self._plan.inserts if insert.timing.publishes_once]
        published = [one for insert in once for one in self._staged(fired, insert)]
        versions = {one.name: self._versions(one, position) for one in self._plan.versioned}
        published += [one for staged in versions.values() for one in staged.published]
        for insert in action.throttled:
            published += self._changes(insert, self._net(position.versions[insert.name].shown))
        updates = self._updates(position)
        below = [query for operator in self._plan.updating for query in operator.inputs]
        updates.absorb({name: rows for query in below for name, rows in fired.every(query).items()})
        changes, waiting = self._emitted(updates, waiting_after(self._plan, position, action.throttled))
        return Fired(fired.states, (*published, *changes), versions, updates.files, waiting, position.tables)

    def move_on(self, action: MoveOn, last: int) -> Moved | None:
        updates = self._updates(action.position)
        if not updates.move_on(action.moments):
            return None
        published, waiting = self._emitted(updates, waiting_after(self._plan, action.position, ()))
        return Moved(tuple(published), updates.files, updates.moments, waiting, action.position.tables)

    def compact(self, operators: Mapping[str, OperatorState]) -> Mapping[str, OperatorState]:
        return {name: self._operators[name].compact(state) for name, state in operators.items()}

    def keep(self, body: Commit | Tick) -> NamedFiles:
        return {}

    def stand_at(self, position: Position) -> None:
        self._store.stand_at(position)

    def _round(self, position: Position) -> Round:
        return Round(self._plan, self._home.meaning, self._operators, dict(position.operators))

    def _updates(self, position: Position) -> Updates:
        return Updates(self._plan, self._home.meaning, self._store, position)

    # ------------------------------------------------------------------ results

    def _staged(self, fired: Round, insert: Insert) -> list[Published]:
        ends = fired.ends(insert.query) if insert.operators else []
        windows = ((end, fired.result(insert.name, insert.query, end)) for end in ends)
        return [self._window(insert, end, rows, COMPLETE) for end, rows in windows if rows]

    def _versions(self, insert: Insert, position: Position) -> StagedVersions:
        before = versions_of(position, insert)
        due = due_versions(insert, position.operators, before)
        if not due:
            return StagedVersions({}, (), before.shown)
        seen = self._round(position)
        for name in insert.operators:
            state = position.operators[name]
            seen.windows[name] = self._operators[name].peek(state, min(due) - 1, max(due))
        windows = ((end, state, seen.result(insert.name, insert.query, end)) for end, state in due.items())
        return StagedVersions(
            due, tuple(self._window(insert, end, rows, state) for end, state, rows in windows if rows), ()
        )

    def _window(self, insert: Insert, end: int, rows: Sequence[Row], state: str) -> Published:
        shown = tuple(row.columns for row in rows)
        staged = self._home.put(self._home.staged, shown, "staged/window")
        assert insert.window is not None
        target = str(end)
        if insert.timing.publishes_once and not insert.window.ends_on_grid:
            # The windows of a slot may fire in several rounds.
            target = f"{end}{staged.rpartition('-')[2]:0>12}"
        return Published(insert.name, insert.window.start(end), end, state, len(rows), "", staged, target)

    # ------------------------------------------------------------------ changes

    def _emitted(self, updates: Updates, waiting: Waiting) -> tuple[list[Published], Waiting]:
        """The changes that are emitted at once, and those that wait."""
        published: list[Published] = []
        held = {**waiting}
        for insert, changes in updates.changes():
            if insert in self._plan.throttled:
                held[insert.name] = (*waiting[insert.name], self._store.write(insert.name, changes))
            else:
                published += self._changes(insert, changes)
        return published, held

    def _changes(self, insert: Insert, changes: Sequence[Change]) -> list[Published]:
        if not changes:
            return []
        shown = tuple((sign, row.columns) for sign, row in changes)
        staged = self._home.put(self._home.staged, shown, "staged/changes")
        state = "changed" if insert.changes else "passed"
        return [Published(insert.name, None, None, state, len(changes), "", staged, staged)]

    def _net(self, files: Iterable[StateFile]) -> list[Change]:
        """The difference between the first and the last row of each key."""
        first: dict[Any, Change] = {}
        last: dict[Any, Change] = {}
        for sign, row in self._store.read(files):
            first.setdefault(row.key, (sign, row))
            last[row.key] = (sign, row)
        return [*(one for one in first.values() if one[0] == "-"), *(one for one in last.values() if one[0] == "+")]


def _memory_of(operator: WindowAggregate, store: MemoryStore) -> WindowMemory:
    if operator.window.ends_on_grid:
        return Grid(operator, store)
    return Over(operator, store) if operator.window.of_each_row else Sessions(operator, store)


def _check(plan: Plan) -> None:
    """Raises NotImplementedError for a plan that is not computed in memory."""
    lacking = [f"versions of sessions ({one.name})" for one in plan.versioned if has_sessions(one)]
    lacking += [f"frames that wait for different rows ({one.name})" for one in plan.operators if one.parts]
    lacking += [f"rows numbered on arrival ({one.name})" for one in plan.operators if one.numbering]
    lacking += [f"temporal joins ({one.name})" for one in plan.operators if one.versions]
    lacking += [f"the processing time of firing ({name})" for name in plan.clocked]
    for one in plan.updating:
        if isinstance(one, UpdatingRows) and one.framed:
            lacking.append(f"OVER without a window ({one.name})")
        if isinstance(one, UpdatingJoin) and one.interval is not None and one.kind != "INNER":
            lacking.append(f"outer interval joins ({one.name})")
    if read_option(dict(plan.settings), REPORT_OPTIONS, STATE_TTL):
        lacking.append(f"the option {STATE_TTL!r}")
    if lacking:
        raise NotImplementedError(f"there is no memory implementation of {', '.join(lacking)}: try it on Spark")
