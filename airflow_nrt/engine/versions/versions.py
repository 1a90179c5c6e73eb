"""Windows with several versions: which versions are due now, their states, and what is stored between them.

An operator keeps its windows open until their last version. Earlier versions are computed from its state, without a
change of it. So two inserts can have versions of the same windows at different times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.checkpointed_frames import CheckpointedFrames
from airflow_nrt.engine.versions.session_versions import STATE, STATES, counted, keep, kept, turn
from airflow_nrt.engine.versions.sink_view import changed_rows, show, shown_rows
from airflow_nrt.engine.windows.aggregate import no_windows
from airflow_nrt.engine.windows.firing import Round
from airflow_nrt.engine.windows.kinds import kind_of
from airflow_nrt.engine.windows.layout import Layout
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import OperatorState, Position, Published, StateFile, Versions
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.timing import COMPLETE, EARLY, LAST, LATE, Rows

Operators = Mapping[str, OperatorState]
Stage = Callable[[Insert, DataFrame, int], list[Published]]
"""Stages rows of so many windows."""


@dataclass(frozen=True)
class Touched:
    """The number of new rows for each window from the one that ends at `first` to the one that ends at `last`."""

    first: int
    last: int
    count: int


@dataclass(frozen=True)
class Edition:
    """The result of a round: what it publishes and removes, and the versions by insert after it."""

    published: tuple[Published, ...]
    removed: tuple[str, ...]
    versions: Mapping[str, Versions]


@dataclass(frozen=True)
class VersionedInserts:
    """The inserts of a plan whose windows have several versions."""

    store: SliceStore
    plan: Plan
    layouts: Mapping[str, Layout]

    def touched(self, files: Mapping[str, StateFile]) -> dict[str, list[Touched]]:
        """By operator, the windows of the partials in these new files."""
        found = {}
        on_grid = [insert for insert in self.plan.versioned if not _has_sessions(insert)]
        for name in {name for insert in on_grid for name in insert.operators} & set(files):
            rates = [insert.timing.update_rate for insert in self.plan.fed_by(name)]
            counts = any(isinstance(rate, Rows) for rate in rates)
            found[name] = _touched(self.store, self.layouts[name], files[name], counts)
        return found

    def noted(
        self, position: Position, operators: Operators, touched: Mapping[str, Iterable[Touched]]
    ) -> dict[str, Versions]:
        """The versions by insert after a batch or a tick with these rows, and with these states of operators."""
        return {
            one.name: _noted(one, _of(position, one), position.operators, operators, touched)
            for one in self.plan.versioned
        }

    def due(self, position: Position, operators: Operators) -> bool:
        """Whether versions are due at these states of operators. Sessions are left out: only a round knows."""
        return any(_due(one, operators, _of(position, one)) for one in self.plan.versioned if not _has_sessions(one))

    def may_be_due(self, position: Position) -> bool:
        """Whether a round may find that versions are due."""
        states = [position.operators[n] for one in self.plan.versioned if _has_sessions(one) for n in one.operators]
        return self.due(position, position.operators) or any(state.rows or state.closed for state in states)

    def publish(self, position: Position, after_firing: Operators, stage: Stage) -> Edition:
        """Stages all versions that are due. `after_firing` are the operators after windows have fired."""
        published: list[Published] = []
        removed: list[str] = []
        versions = {}
        for insert in self.plan.versioned:
            before = _of(position, insert)
            fired = max(after_firing[name].fired or -END_OF_TIME for name in insert.operators)
            stage_due = self._staged_sessions if _has_sessions(insert) else self._staged
            due, staged, shown = stage_due(insert, position.operators, before, fired, stage)
            placed = {one.end: one.target for one in staged if one.end is not None and not one.told}
            standing = {**before.standing, **placed}
            gone = set(due) & set(before.standing) - {one.end for one in staged}
            removed += [f"{insert.name}/{standing.pop(end)}" for end in sorted(gone)]
            versions[insert.name] = Versions(
                _time(insert, position.operators),
                {end: count for end, count in before.rows.items() if end not in due and end > fired},
                {end: place for end, place in standing.items() if end > fired},
                shown,
            )
            published += staged
        return Edition(tuple(published), tuple(removed), versions)

    def completed(self, position: Position, published: Iterable[Published]) -> int:
        """How many windows have got their first complete result with these files."""
        found = set()
        for one in published:
            insert = self.plan.insert(one.insert)
            if one.end is None or one.state == EARLY or insert.timing.is_complete(one.end, _of(position, insert).at):
                continue
            found.add((one.insert, one.end))
        return len(found)

    def with_complete(self, operators: Operators) -> dict[str, OperatorState]:
        """The operators with the end up to which windows are complete, if these fire for the last time later."""
        found = {}
        for name, state in operators.items():
            inserts = self.plan.fed_by(name)
            times = [_time(insert, operators) for insert in inserts if insert.timing.late_updates]
            if times and len(times) == len(inserts):
                reached = [at - one.timing.complete_result for at, one in zip(times, inserts) if at is not None]
                until = self.plan.operator(name).window.last_complete_end(min(reached)) if reached else None
                state = replace(state, complete=until)
            found[name] = state
        return found

    def _staged(
        self, insert: Insert, operators: Operators, before: Versions, fired: int, stage: Stage
    ) -> tuple[Mapping[int, str], list[Published], tuple[StateFile, ...]]:
        """The due versions, what they publish, and the published rows after them of windows that can still change."""
        due = _due(insert, operators, before)
        if not due:
            return due, [], before.shown
        look = self._look(insert, operators, min(due) - 1, max(due))
        try:
            frame = look.result(insert.query).where(_among(due, insert))
            frame = with_state(insert, frame, _states(insert, due))
            if not insert.emits_changes:
                return due, _as_due(stage(insert, frame, len(due)), due), ()
            frame = frame.localCheckpoint()
            known = shown_rows(self.store, insert, before.shown)
            old = None if known is None else known.where(_among(due, insert))
            staged = _as_due(stage(insert, changed_rows(insert, old, frame), len(due)), due)
            others = None if known is None else known.where(f"NOT ({_among(due, insert)})")
            shown = frame if others is None else frame.unionByName(others)
            staged += _unchanged(insert, frame, {end: due[end] for end in set(due) - {one.end for one in staged}})
            return due, staged, show(self.store, insert, shown.where(f"{WINDOW_END} > {fired}L"))
        finally:
            look.close()

    def _staged_sessions(
        self, insert: Insert, operators: Operators, before: Versions, fired: int, stage: Stage
    ) -> tuple[Mapping[int, str], list[Published], tuple[StateFile, ...]]:
        """The same for sessions; `due` are the slots that differ now."""
        (name,) = insert.operators
        layout, state, now = self.layouts[name], operators[name], _time(insert, operators)
        after = -END_OF_TIME if state.fired is None else state.fired
        found = kind_of(layout).peek(self.store, layout, state, after, END_OF_TIME)
        if now is None or (found is None and not before.shown):
            return {}, [], before.shown
        frames = CheckpointedFrames()
        try:
            operator = self.plan.operator(name)
            found = no_windows(self.store.spark, operator) if found is None else found
            current = frames.computed(counted(insert, operator, found))

            def result(sessions: DataFrame) -> DataFrame:
                firing = Firing(name, sessions, state, after, END_OF_TIME)
                return Round(self.store, self.plan, self.layouts, dict(operators), {name: firing}).result(insert.query)

            def query(sessions: DataFrame) -> DataFrame:
                if insert.timing.result_state is None:
                    return result(sessions)
                each = (result(sessions.where(f"{STATE} = {n}")) for n in range(len(STATES)))
                with_states = (with_state(insert, rows, string_literal(STATES[n])) for n, rows in enumerate(each))
                return reduce(DataFrame.unionAll, with_states)

            shown = kept(self.store, insert, before.shown, current)
            changed = turn(insert, operator, shown, current, (before.at, now), after, query)
            if not changed.slots:
                return {}, [], before.shown
            due = {slot: _state_of_slot(insert, slot, before.at, now) for slot in changed.slots}
            rows = query(changed.after).where(_among(due, insert))
            if insert.emits_changes:
                old = None if changed.before is None else query(changed.before).where(_among(due, insert))
                rows = changed_rows(insert, old, rows)
            staged = _as_due(stage(insert, rows, len(due)), due)
            return due, staged, keep(self.store, insert, layout.operator.window, changed.after, fired)
        finally:
            frames.release()

    def _look(self, insert: Insert, operators: Operators, after: int, until: int) -> Round:
        """The windows with `after < end <= until` from the current state, as if they fired."""
        firings = {}
        for name in insert.operators:
            layout, state = self.layouts[name], operators[name]
            results = kind_of(layout).peek(self.store, layout, state, after, until)
            firings[name] = Firing(name, results, state, after, until)
        return Round(self.store, self.plan, self.layouts, dict(operators), firings)


def _has_sessions(insert: Insert) -> bool:
    return insert.window is not None and not insert.window.ends_on_grid


def _state_of_slot(insert: Insert, slot: int, before: int | None, now: int) -> str:
    if not insert.timing.is_complete(slot, now):
        return EARLY
    if insert.timing.result_state is not None and slot + insert.timing.final - 1 <= now and insert.timing.late_updates:
        return LAST
    return LATE if insert.timing.is_complete(slot, before) else COMPLETE


def _of(position: Position, insert: Insert) -> Versions:
    return position.versions.get(insert.name, Versions())


def _time(insert: Insert, operators: Operators) -> int | None:
    """The watermark (ms) of the sources of an insert. Its operators lag it by the offset of the last version."""
    watermarks = [operators[name].watermark for name in insert.operators]
    known = [at for at in watermarks if at is not None]
    return min(known) + insert.timing.final if len(known) == len(watermarks) else None


def _due(insert: Insert, operators: Operators, versions: Versions) -> dict[int, str]:
    """By end, the states of the due versions."""
    now = _time(insert, operators)
    if now is None:
        return {}
    found = {}
    for end in _candidates(insert, [operators[name] for name in insert.operators], now):
        state = insert.timing.due(end, versions.at, now, versions.rows.get(end, 0))
        if state is not None:
            found[end] = state
    return found


def _candidates(insert: Insert, states: Iterable[OperatorState], now: int) -> Iterator[int]:
    """The windows with rows that have not had their last version yet."""
    window = insert.window
    assert window is not None
    files = [(state.fired, file) for state in states for file in (*state.rows, *state.closed)]
    if not files:
        return iter(())
    fired = min((-END_OF_TIME if at is None else at for at, _ in files))
    first = min(window.first_end(file.first) for _, file in files)
    last = max(window.last_end(file.last) for _, file in files)
    return window.ends_between(max(fired, first - 1), min(now + 1 - insert.timing.earliest, last))


def _touched(store: SliceStore, layout: Layout, file: StateFile, counts: bool) -> list[Touched]:
    """The windows of the partials in a new file. If no insert needs numbers of rows, it counts partials instead."""
    if file.first == file.last and not counts and len(layout.slots) == 1:
        return [
            Touched(layout.operator.window.first_end(file.first), layout.operator.window.last_end(file.last), file.rows)
        ]
    counters = [one.name for one in layout.row_accumulators if one.name == "n_all"]
    rows = store.read([file], [*layout.slots, *counters])
    assert rows is not None
    count = F.sum(counters[0]) if counters else F.count("*")
    found = rows.where(f"{SLICE} IS NOT NULL").groupBy(*layout.slots).agg(count.alias("n")).collect()
    window = layout.operator.window
    return [Touched(layout.slices.first_window(window, row), window.last_end(row[SLICE]), row.n) for row in found]


def _noted(
    insert: Insert,
    versions: Versions,
    before: Operators,
    after: Operators,
    touched: Mapping[str, Iterable[Touched]],
) -> Versions:
    assert insert.window is not None
    now = _time(insert, after)
    counts = dict(versions.rows)
    for one in (one for name in insert.operators for one in touched.get(name, ())):
        # Windows whose first version is still to come need no count.
        until = one.first - 1 if now is None else min(one.last, now + 1 - insert.timing.earliest)
        for end in range(one.first, until + 1, insert.window.stride):
            counts[end] = counts.get(end, 0) + one.count
    return replace(versions, at=_time(insert, before), rows=counts)


def _as_due(staged: Iterable[Published], due: Mapping[int, str]) -> list[Published]:
    return [replace(one, state=due[one.end]) for one in staged if one.end is not None]


def _unchanged(insert: Insert, frame: DataFrame, due: Mapping[int, str]) -> list[Published]:
    """Complete versions without changes, because they equal the version before."""
    complete = [end for end, state in due.items() if state == COMPLETE]
    if not complete or insert.window is None:
        return []
    ends = sorted(row[0] for row in frame.where(_among(complete, insert)).select(WINDOW_END).distinct().collect())
    # They have no file to be published.
    starts = {end: insert.window.start(end) for end in ends}
    return [Published(insert.name, starts[end], end, COMPLETE, 0, "", "staged/none", "", told=True) for end in ends]


def with_state(insert: Insert, frame: DataFrame, state: str) -> DataFrame:
    """The rows with the sink's column of their state, if it has one. `state` is SQL over the end of the window."""
    column = insert.timing.result_state
    if column is None:
        return frame
    named = f"{state} AS {quote(column)}"
    names = [named if one.name == column else quote(one.name) for one in insert.sink.physical]
    return frame.selectExpr(*names, WINDOW_END)


def _states(insert: Insert, states: Mapping[int, str]) -> str:
    by_state: dict[str, list[int]] = {}
    for end, state in states.items():
        by_state.setdefault(state, []).append(end)
    cases = [f"WHEN {_among(ends, insert)} THEN {string_literal(state)}" for state, ends in by_state.items()]
    return f"CASE {' '.join(cases)} END"


def _among(ends: Iterable[int], insert: Insert) -> str:
    """SQL of whether a row belongs to one of the windows with these ends."""
    assert insert.window is not None
    runs: list[list[int]] = []
    for end in sorted(ends):
        if runs and end == runs[-1][1] + insert.window.stride:
            runs[-1][1] = end
        else:
            runs.append([end, end])
    return " OR ".join(f"({WINDOW_END} BETWEEN {first}L AND {last}L)" for first, last in runs) or "false"
