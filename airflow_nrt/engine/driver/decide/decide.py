"""What a stream does next: decided from its plan, its position in the log, and an event.

Each event is a generator of actions. The driver performs an action and sends back what came of it; the generator
returns where the stream stands after the event.

    event               actions
    arrived(…)          Tune, SetClock, Absorb, Append(Commit), Publish, then `settle`
    ended(…), idle(…)   Append(Tick), then `settle`
    settle()            Fire, Append(Tick), Publish      windows and versions that are due
                        MoveOn, Append(Tick), Publish    rows that come or go as time passes
                        Fire, Append(Tick), Publish      throttled changes that are due by now
                        Compact, Append(Tick)            after publishing, because no reader waits for it
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.decide.actions import (
    Absorb,
    Action,
    Append,
    Batch,
    BatchResult,
    Compact,
    Fire,
    Fired,
    Look,
    Moved,
    MoveOn,
    Publish,
    SetClock,
    Tune,
    Unreadable,
)
from airflow_nrt.engine.driver.decide.unreadable_rows import rows_of_day
from airflow_nrt.engine.driver.decide.whole import all_fired, comes_whole
from airflow_nrt.home.log.entries import Commit, OperatorState, Position, Published, SourceState, StateFile, Tick
from airflow_nrt.home.log.history.rejections import null_fields, rejected_rows
from airflow_nrt.home.log.history.row_semantics import with_next_semantics
from airflow_nrt.home.log.position.due import are_windows_due, fires_until, is_closed_to, moments_due
from airflow_nrt.home.log.position.partition_watermarks import with_parts, with_proposals
from airflow_nrt.home.log.position.throttle import after_emission, throttled_due, with_waiting
from airflow_nrt.home.log.position.versions import (
    after_versions,
    are_versions_due,
    fired_of,
    may_versions_be_due,
    newly_complete,
    with_complete,
    with_touched,
)
from airflow_nrt.home.log.position.watermarks import advanced, operator_watermark, with_clock
from airflow_nrt.home.log.splits import SourceFile, Split, files_of, ranges_of
from airflow_nrt.model.arithmetic_errors import are_null
from airflow_nrt.model.plan import Plan

Sources = Mapping[str, SourceState]


@dataclass(frozen=True)
class StreamState:
    """Where a stream stands: its position, its processing time (ms), and the versions of dimension tables then."""

    position: Position
    now: int
    dimensions: Mapping[str, str] = field(default_factory=dict)


Steps = Generator[Action, Any, StreamState]
"""The actions of an event, and where the stream stands after it."""


@dataclass(frozen=True)
class Decisions:
    """The decisions of the stream of a plan."""

    plan: Plan

    # ------------------------------------------------------------------ events

    def begun(self, position: Position, last_clock: int | None) -> Steps:
        """A driver begins at a position. `last_clock` is the processing time (ms) of the last entry that has one."""
        at = StreamState(self._complete(position), (yield Look()) - 1 if last_clock is None else last_clock)
        # Also ticks plan queries that join, and a driver that died may have used an older version at its last time.
        return (yield from self._at_clock(at if self.plan.waits_for_clock else (yield from self._after_last(at))))

    def arrived(self, at: StreamState, source_name: str, splits: Sequence[Split], *, ends: bool) -> Steps:
        """Splits of a source have arrived; it may end with them. The commit says so, because a tick after it (`ended`)
        would fire a second time."""
        plan, position, source = self.plan, at.position, self.plan.source(source_name)
        if is_closed_to(plan, position, source_name):
            raise InputError(
                f"source {source_name!r} has ended, and its rows are published in their order, where files that have "
                "come since have no place: take them away, or run the report into a new home and a new directory"
            )
        reading = [one.name for one in plan.readers(source_name) if one.reads_state]
        takes_one_task = yield Tune((*splits, *self._state(position, reading)))
        # No two batches have the same time: rows of the second would be late for windows that have fired.
        at = yield from self._at_clock((yield from self._after_last(at)))
        watermarks = {one.name: position.operators[one.name].watermark for one in plan.readers(source_name)}
        whole = ends and not takes_one_task and comes_whole(plan, position)
        batch = Batch(source, at.now, watermarks, at.dimensions, ends, whole)
        suspects: set[str] = set()
        entry = None
        while entry is None:
            result = yield Absorb(batch, tuple(splits), position)
            if isinstance(result, Unreadable):
                # Retried once before the file counts as corrupt: the disk may have been at fault.
                splits = _without(splits, result.path) if result.path in suspects else splits
                suspects.add(result.path)
                continue
            commit = self._commit(at, batch, splits, result)
            # Rows of an archive name the entry: if a backfill has taken its number, they are written again.
            entry = yield Append(commit, result.number if source.is_archived else None)
        yield Publish(entry)
        return (yield from self.settle(replace(at, position=commit.position)))

    def ended(self, at: StreamState, source: str) -> Steps:
        """A source has ended."""
        return (yield from self._changed(at, source, replace(at.position.sources[source], ended=True)))

    def idle(self, at: StreamState, source: str) -> Steps:
        """Nothing has come from a source for its idle timeout."""
        return (yield from self._changed(at, source, replace(at.position.sources[source], idle=True)))

    def idle_parts(self, at: StreamState, source: str, parts: Iterable[str]) -> Steps:
        """Nothing has come from these parts of a source for its idle timeout."""
        state = at.position.sources[source]
        quiet = {part: replace(state.parts[part], idle=True) for part in parts if part in state.parts}
        if all(state.parts[part].idle for part in quiet):
            return at
        return (yield from self._tick(at, source, with_parts(state, {**state.parts, **quiet})))

    def advanced(self, at: StreamState, source: str, watermark: int) -> Steps:
        """The watermark (ms) of a source advances without rows."""
        state = at.position.sources[source]
        return (yield from self._tick(at, source, replace(state, watermark=advanced(state.watermark, watermark))))

    def passed(self, at: StreamState) -> Steps:
        """Time has passed: what is due by processing time is published."""
        if throttled_due(self.plan, at.position, (yield Look())):
            at = yield from self.settle(at)
        if not self.plan.waits_for_clock:
            return at
        later = yield from self._looked(at)
        position = self._with_watermarks(later.position, later.now)
        operators = position.operators
        fires = any(fires_until(one, operators[one.name]) is not None for one in self.plan.operators)
        if fires or are_versions_due(self.plan, at.position, operators):
            return (yield from self._ticked(later, later.position.sources))
        # No entry has this time.
        return at

    def replaced(self, at: StreamState, published: Sequence[Published], removed: Sequence[str]) -> Steps:
        """Staged files replace others, and change no result."""
        return (yield from self._decided(at, at.position, published, removed))

    def closed(self, at: StreamState, source: str, directories: Sequence[str]) -> Steps:
        """Directories of a source have closed."""
        clock = yield from self._clock_of_tick(at)
        yield Append(Tick((), clock, at.position, closed={source: tuple(directories)}))
        return at

    def settle(self, at: StreamState) -> Steps:
        """Fires complete windows, publishes due versions, moves recent rows to the watermark, and merges files."""
        at = yield from self._fire(at)
        at = yield from self._move(at)
        if throttled_due(self.plan, at.position, (yield Look())):
            # Changes by these two wait as well, until they are due. At the end of the input they are due at once.
            at = yield from self._fire(at)
        return (yield from self._compact(at))

    # ------------------------------------------------------------------ time

    def _looked(self, at: StreamState) -> Generator[Action, Any, StreamState]:
        """Updates processing time. Where results depend on it, it never goes back: no row of windows over it is late,
        and each version of a dimension table is valid after the one before."""
        clock = yield Look()
        return replace(at, now=max(at.now, clock) if self.plan.keeps_clock else clock)

    def _after_last(self, at: StreamState) -> Steps:
        return (yield from self._looked(replace(at, now=at.now + 1)))

    def _at_clock(self, at: StreamState) -> Steps:
        return replace(at, dimensions=(yield SetClock(at.now)))

    def _changed(self, at: StreamState, source: str, state: SourceState) -> Steps:
        """A tick, if the state of a source has changed."""
        if state == at.position.sources[source]:
            return at
        return (yield from self._tick(at, source, state))

    def _tick(self, at: StreamState, source: str, state: SourceState) -> Steps:
        return (yield from self._ticked(at, {**at.position.sources, source: state}))

    def _ticked(self, at: StreamState, sources: Sources) -> Steps:
        """An entry without rows, which says how far time is; then what is due by that."""
        if self.plan.keeps_clock:
            at = yield from self._at_clock(at if self.plan.waits_for_clock else (yield from self._looked(at)))
        position = self._with_watermarks(replace(at.position, sources=sources), at.now)
        noted = with_touched(self.plan, at.position, position.operators, {})
        position = replace(position, versions={**position.versions, **noted})
        yield Append(Tick((), (yield from self._clock_of_tick(at)), position))
        return (yield from self.settle(replace(at, position=position)))

    def _clock_of_tick(self, at: StreamState) -> Generator[Action, Any, int]:
        """The processing time of a tick. If windows wait for the clock, it is the one of their watermarks."""
        clock: int = at.now if self.plan.keeps_clock else (yield Look())
        return clock

    def _with_watermarks(self, position: Position, now: int) -> Position:
        timed = with_clock(position.sources, now)
        operators = dict(position.operators)
        for one in self.plan.operators:
            state = operators[one.name]
            watermark = operator_watermark(state.watermark, timed, one.clock, self.plan.zones, one.delay, one.waits)
            operators[one.name] = replace(state, watermark=watermark)
        return replace(position, operators=operators)

    # ------------------------------------------------------------------ what is due

    def _fire(self, at: StreamState) -> Steps:
        plan, position = self.plan, at.position
        yield Tune(self._state(position, position.operators))
        clock = yield Look()
        throttled = throttled_due(plan, position, clock)
        is_due = bool(throttled) or are_windows_due(plan, position)
        if not is_due and not may_versions_be_due(plan, position):
            return at
        fired: Fired = yield Fire(position, throttled, clock)
        removed: list[str] = []
        versions = {}
        for insert in plan.versioned:
            until = fired_of(insert, fired.operators)
            versions[insert.name], gone = after_versions(insert, position, until, fired.versions[insert.name])
            removed += gone
        if not is_due and not fired.published and not removed:
            return at
        emitted = after_emission(position.versions, throttled, clock)
        after = replace(
            position,
            operators=with_complete(plan, fired.operators),
            windows=position.windows + newly_complete(plan, position, fired.published),
            updating=fired.updating,
            tables=fired.tables,
            versions={**versions, **with_waiting(plan, emitted, fired.waiting, {}, clock)},
        )
        return (yield from self._decided(at, after, fired.published, (*removed, *fired.removed)))

    def _move(self, at: StreamState) -> Steps:
        position = at.position
        moved: Moved | None = yield MoveOn(position, moments_due(self.plan.updating, position), (yield Look()))
        if moved is None:
            return at
        noted = with_waiting(self.plan, position.versions, moved.waiting, {}, (yield Look()))
        after = replace(
            position,
            updating=moved.updating,
            tables=moved.tables,
            moments=moved.moments,
            versions={**position.versions, **noted},
        )
        return (yield from self._decided(at, after, moved.published, moved.removed))

    def _compact(self, at: StreamState) -> Steps:
        merged = yield Compact(at.position.operators)
        if merged == at.position.operators:
            return at
        position = replace(at.position, operators=merged)
        yield Append(Tick((), (yield from self._clock_of_tick(at)), position))
        return replace(at, position=position)

    def _decided(
        self, at: StreamState, position: Position, published: Sequence[Published], removed: Sequence[str]
    ) -> Steps:
        """The entry that decides on staged files, and their publication."""
        dimensions = at.dimensions if self.plan.clocked else {}
        clock = yield from self._clock_of_tick(at)
        entry = yield Append(Tick(tuple(published), clock, position, tuple(removed), dimensions))
        yield Publish(entry)
        return replace(at, position=position)

    # ------------------------------------------------------------------ batches

    def _commit(self, at: StreamState, batch: Batch, splits: Sequence[Split], result: BatchResult) -> Commit:
        position = self._after_batch(at.position, batch, splits, result)
        return Commit(
            source=batch.source.name,
            files=files_of(splits),
            ranges=ranges_of(splits),
            rows=result.row_count,
            clock=batch.clock,
            seen=batch.watermarks,
            rejected=result.rejected,
            late=result.late,
            ledger=result.ledger,
            published=result.published,
            position=all_fired(self.plan, position, result.published) if batch.is_whole else position,
            removed=result.removed,
            dimensions=batch.dimensions,
        )

    def _after_batch(self, before: Position, batch: Batch, splits: Sequence[Split], result: BatchResult) -> Position:
        name = batch.source.name
        source = before.sources[name]
        source = replace(
            with_proposals(source, result.proposals),
            idle=False,
            ended=batch.ends or source.ended,
            # Where reading begins is no split that was read: a topic that comes whole with the next batch still does.
            files=source.files + sum(not split.is_empty for split in splits),
            rows=source.rows + result.row_count,
            rejected=source.rejected + rejected_rows(result.rejected),
            null_fields=source.null_fields + null_fields(result.rejected),
            of_day=rows_of_day(source, batch, result),
        )
        operators = dict(before.operators)
        for operator, file in result.partials.items():
            operators[operator] = replace(operators[operator], rows=(*operators[operator].rows, file))
        for operator, numbers in result.numbers.items():
            operators[operator] = replace(operators[operator], numbers=numbers)
        moved = replace(before, sources={**before.sources, name: source}, operators=operators)
        moved = self._with_watermarks(moved, batch.clock)
        rows = {name: result.row_count}
        return replace(
            moved,
            updating={**before.updating, **result.updating},
            versions={
                **with_touched(self.plan, before, moved.operators, result.touched),
                **with_waiting(self.plan, before.versions, result.waiting, rows, batch.clock),
            },
            tables={**before.tables, **result.tables},
            late=before.late + sum(one.late for one in result.late),
            dropped=before.dropped + sum(one.dropped for one in result.late),
        )

    # ------------------------------------------------------------------ positions

    def _complete(self, position: Position) -> Position:
        """A position with all sources and operators of the plan, whose next rows are read by the newest semantics
        that can stand beside those before."""
        states = {one.name: position.sources.get(one.name, SourceState()) for one in self.plan.sources}
        sources = with_next_semantics(self.plan, states)
        if are_null(self.plan.settings):
            sources = {name: replace(state, nulls_errors=True) for name, state in sources.items()}
        operators = {one.name: position.operators.get(one.name, OperatorState()) for one in self.plan.operators}
        updating = {one.name: position.updating.get(one.name, ()) for one in self.plan.updating}
        return replace(position, sources=sources, operators=operators, updating=updating)

    def _state(self, position: Position, operators: Iterable[str]) -> tuple[StateFile, ...]:
        """The state files of these operators and of all updating operators."""
        states = [position.operators[name] for name in operators]
        windows = [file for state in states for file in (*state.rows, *state.closed, *state.numbers)]
        return (*windows, *(file for files in position.updating.values() for file in files))


def _without(splits: Sequence[Split], path: str) -> list[Split]:
    """The splits, with one file marked as corrupt."""
    return [replace(one, corrupt=True) if isinstance(one, SourceFile) and one.path == path else one for one in splits]
