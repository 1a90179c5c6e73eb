"""Windows with several versions: staging those that are due (`home/log/position/versions.py`),
and what is stored in between.

An operator keeps its windows open until their last version. Earlier versions are computed from its state, without a
change of it. So two inserts can have versions of the same windows at different times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.checkpointed_frames import CheckpointedFrames
from airflow_nrt.engine.versions.retractions import changed_rows, show, shown_rows
from airflow_nrt.engine.versions.session_versions import STATE, STATES, counted, keep, kept, turn
from airflow_nrt.engine.windows.execution import execution_of
from airflow_nrt.engine.windows.firing import Round
from airflow_nrt.engine.windows.operator_layout import Layout
from airflow_nrt.engine.windows.window_operator import no_windows
from airflow_nrt.engine.windows.window_state import Firing
from airflow_nrt.home.log.entries import Position, Published, StateFile, Versions
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.home.log.position.versions import (
    Operators,
    StagedVersions,
    Touched,
    due_versions,
    fired_of,
    has_sessions,
    state_of_slot,
    versions_of,
    watermark_of,
)
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import COMPLETE, Rows

Stage = Callable[[Insert, DataFrame, int], list[Published]]
"""Stages rows of so many windows."""


@dataclass(frozen=True)
class VersionedInserts:
    """The inserts of a plan whose windows have several versions."""

    store: SliceStore
    plan: Plan
    layouts: Mapping[str, Layout]

    def touched(self, files: Mapping[str, StateFile]) -> dict[str, list[Touched]]:
        """By operator, the windows of the partials in these new files."""
        found = {}
        on_grid = [insert for insert in self.plan.versioned if not has_sessions(insert)]
        for name in {name for insert in on_grid for name in insert.operators} & set(files):
            rates = [insert.timing.update_rate for insert in self.plan.fed_by(name)]
            counts = any(isinstance(rate, Rows) for rate in rates)
            found[name] = _touched(self.store, self.layouts[name], files[name], counts)
        return found

    def stage(self, position: Position, after_firing: Operators, stage: Stage) -> dict[str, StagedVersions]:
        """Stages all versions that are due, by insert. `after_firing` are the operators after windows have fired."""
        staged = {}
        for insert in self.plan.versioned:
            stage_due = self._staged_sessions if has_sessions(insert) else self._staged
            before, fired = versions_of(position, insert), fired_of(insert, after_firing)
            staged[insert.name] = stage_due(insert, position.operators, before, fired, stage)
        return staged

    def _staged(
        self, insert: Insert, operators: Operators, before: Versions, fired: int, stage: Stage
    ) -> StagedVersions:
        due = due_versions(insert, operators, before)
        if not due:
            return StagedVersions(due, (), before.shown)
        look = self._look(insert, operators, min(due) - 1, max(due))
        try:
            frame = look.result(insert.query).where(_among(due, insert))
            frame = with_state(insert, frame, _states(insert, due))
            if not insert.emits_changes:
                return StagedVersions(due, tuple(_as_due(stage(insert, frame, len(due)), due)), ())
            frame = frame.localCheckpoint()
            known = shown_rows(self.store, insert, before.shown)
            old = None if known is None else known.where(_among(due, insert))
            staged = _as_due(stage(insert, changed_rows(insert, old, frame), len(due)), due)
            others = None if known is None else known.where(f"NOT ({_among(due, insert)})")
            shown = frame if others is None else frame.unionByName(others)
            staged += _unchanged(insert, frame, {end: due[end] for end in set(due) - {one.end for one in staged}})
            changeable = show(self.store, insert, shown.where(f"{WINDOW_END} > {fired}L"))
            return StagedVersions(due, tuple(staged), changeable)
        finally:
            look.close()

    def _staged_sessions(
        self, insert: Insert, operators: Operators, before: Versions, fired: int, stage: Stage
    ) -> StagedVersions:
        """The same for sessions; `due` are the slots that differ now."""
        (name,) = insert.operators
        layout, state, now = self.layouts[name], operators[name], watermark_of(insert, operators)
        after = state.fired_until
        found = execution_of(layout).peek(self.store, layout, state, after, END_OF_TIME)
        if now is None or (found is None and not before.shown):
            return StagedVersions({}, (), before.shown)
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
                return StagedVersions({}, (), before.shown)
            due = {slot: state_of_slot(insert, slot, before.at, now) for slot in changed.slots}
            rows = query(changed.after).where(_among(due, insert))
            if insert.emits_changes:
                old = None if changed.before is None else query(changed.before).where(_among(due, insert))
                rows = changed_rows(insert, old, rows)
            staged = _as_due(stage(insert, rows, len(due)), due)
            changeable = keep(self.store, insert, layout.operator.window, changed.after, fired)
            return StagedVersions(due, tuple(staged), changeable)
        finally:
            frames.release()

    def _look(self, insert: Insert, operators: Operators, after: int, until: int) -> Round:
        """The windows with `after < end <= until` from the current state, as if they fired."""
        firings = {}
        for name in insert.operators:
            layout, state = self.layouts[name], operators[name]
            results = execution_of(layout).peek(self.store, layout, state, after, until)
            firings[name] = Firing(name, results, state, after, until)
        return Round(self.store, self.plan, self.layouts, dict(operators), firings)


def _touched(store: SliceStore, layout: Layout, file: StateFile, counts: bool) -> list[Touched]:
    """The windows of the partials in a new file. If no insert needs numbers of rows, it counts partials instead."""
    window, stored = layout.operator.window, Partials((file,)).span
    if stored.first == stored.last and not counts and len(layout.slots) == 1:
        return [Touched(window.first_end(stored.first), window.last_end(stored.last), file.rows)]
    number = layout.accumulators.row_count
    rows = store.read([file], [*layout.slots, *([] if number is None else [number.name])])
    assert rows is not None
    count = F.count("*") if number is None else F.sum(number.name)
    found = rows.where(f"{SLICE} IS NOT NULL").groupBy(*layout.slots).agg(count.alias("n")).collect()
    return [Touched(layout.slices.first_window(window, row), window.last_end(row[SLICE]), row.n) for row in found]


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
    return [Published(insert.name, starts[end], end, COMPLETE, 0, "", "staged/none", "", is_delta=True) for end in ends]


def with_state(insert: Insert, frame: DataFrame, state: str) -> DataFrame:
    """The rows with the sink's column of their state, if it has one. `state` is SQL over the end of the window."""
    column = insert.timing.result_state
    if column is None:
        return frame
    named = f"{state} AS {quote(column)}"
    names = [named if one.name == column else quote(one.name) for one in insert.sink.physical]
    return frame.selectExpr(*names, WINDOW_END)


def _states(insert: Insert, states: Mapping[int, str]) -> str:
    """SQL of the state of a window by its end.

    CASE WHEN (_nrt_end BETWEEN 1718705400000L AND 1718705400000L) THEN 'early' WHEN (_nrt_end BETWEEN 1718706000000L
      AND 1718706000000L) THEN 'complete' END
    """
    by_state: dict[str, list[int]] = {}
    for end, state in states.items():
        by_state.setdefault(state, []).append(end)
    cases = [f"WHEN {_among(ends, insert)} THEN {string_literal(state)}" for state, ends in by_state.items()]
    return f"CASE {' '.join(cases)} END"


def _among(ends: Iterable[int], insert: Insert) -> str:
    """SQL predicate: a row belongs to one of the windows with these ends.

    (_nrt_end BETWEEN 1718705400000L AND 1718706000000L)
    """
    assert insert.window is not None
    runs: list[list[int]] = []
    for end in sorted(ends):
        if runs and end == insert.window.grid.after(runs[-1][1]):
            runs[-1][1] = end
        else:
            runs.append([end, end])
    return " OR ".join(f"({WINDOW_END} BETWEEN {first}L AND {last}L)" for first, last in runs) or "false"
