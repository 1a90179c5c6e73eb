"""The stream driver: absorbs arrivals, fires complete windows, and writes the log. One thread at a time.

The way of a row: `sources` → `time` → `windows` (absorb) → `state` → `windows` (fire) → `sinks`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.dimensions.current import CurrentVersions
from airflow_nrt.engine.driver.batch_result import Batch, BatchResult
from airflow_nrt.engine.driver.batch_staging import BatchStaging
from airflow_nrt.engine.driver.single_batch import all_fired, comes_whole
from airflow_nrt.engine.failures.failures import corrupt_file, without
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.functions import register_functions
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.engine.publish.publishing import publish_entry, remove_orphans, roll_forward
from airflow_nrt.engine.publish.staging import Staging
from airflow_nrt.engine.publish.update_tables import UpdateTables
from airflow_nrt.engine.sampling.windows import sample_last
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.at_end import check_open
from airflow_nrt.engine.updating.recent import moments_due
from airflow_nrt.engine.updating.updates import Updates
from airflow_nrt.engine.versions.throttled_changes import ThrottledInserts
from airflow_nrt.engine.versions.versions import VersionedInserts, with_state
from airflow_nrt.engine.windows.firing import Round
from airflow_nrt.engine.windows.firing_clock import fires_at
from airflow_nrt.engine.windows.kinds import kind_of
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.clock import advanced, operator_watermark, with_clock, with_parts, with_proposals
from airflow_nrt.home.log.entries import (
    Commit,
    OperatorState,
    Position,
    Published,
    SourceState,
    Split,
    StateFile,
    Tick,
    files_of,
    ranges_of,
)
from airflow_nrt.home.log.log import Writer
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.timing import COMPLETE, EARLY

COMMITS_KEPT = 2
"""State files stay for so many commits after their last reference, because a reader of the log may still read them."""


class StreamDriver:
    """A driver with a lease. `clock` gives processing time in milliseconds, `attempt` publishes or owes."""

    def __init__(
        self,
        spark: SparkSession,
        plan: Plan,
        home: Home,
        writer: Writer,
        clock: Callable[[], int] = now_ms,
        attempt: Attempt = at_once,
    ) -> None:
        self.attempt = attempt
        self.spark = spark
        self.plan = plan
        self.home = home
        self.writer = writer
        self.clock = clock
        register_functions(spark, plan)
        self.dimensions = CurrentVersions(spark, plan, home)
        self.store = SliceStore(spark, home, writer.epoch)
        self.layouts = {operator.name: layout_of(operator) for operator in plan.operators}
        self.versions = VersionedInserts(self.store, plan, self.layouts)
        self.throttled = ThrottledInserts(self.store, plan)
        self.tables = UpdateTables(self.store)
        self.staging = Staging(home, writer.epoch, self.tables)
        self.batches = BatchStaging(
            spark, plan, home, self.store, self.layouts, self.staging, self.versions, self.throttled
        )
        self.position = self._complete(writer.log.position())
        self.tables.stand_at(self.position.tables)
        self.now = self._last_clock()
        # Also ticks plan queries that join, and a driver that died may have used an older version at its last time.
        self._stand_at_clock(self.now if plan.waits_for_clock else self._after_last_clock())
        self._released: list[frozenset[str]] = []

    def _complete(self, position: Position) -> Position:
        sources = {source.name: position.sources.get(source.name, SourceState()) for source in self.plan.sources}
        operators = {o.name: position.operators.get(o.name, OperatorState()) for o in self.plan.operators}
        updating = {o.name: position.updating.get(o.name, ()) for o in self.plan.updating}
        return replace(position, sources=sources, operators=operators, updating=updating)

    def _last_clock(self) -> int:
        """The processing time of the last entry that has one, or else just before now."""
        bodies = (entry.body for entry in self.writer.log.backwards())
        return next((body.clock for body in bodies if isinstance(body, (Commit, Tick))), self.clock() - 1)

    def _look_at_clock(self) -> int:
        """Updates processing time. Where results depend on it, it never goes back: no row of windows over it is late,
        and each version of a dimension table is valid after the one before."""
        self.now = max(self.now, self.clock()) if self.plan.keeps_clock else self.clock()
        return self.now

    def _after_last_clock(self) -> int:
        self.now += 1
        return self._look_at_clock()

    def _stand_at_clock(self, clock: int) -> Mapping[str, str]:
        """Queries that follow are of this processing time (ms); gives the versions of dimension tables."""
        for operator in self.plan.clocked:
            fires_at(self.spark, operator, clock)
        return self.dimensions.at(clock, self.store.tasks)

    def recover(self) -> None:
        """Publishes what the log has decided, removes the files of crashes, and fires what is due."""
        owed = roll_forward(self.home, self.plan, self.writer.log, attempt=self.attempt)
        sample_last(self.home, self.plan, self.writer.log)
        reach("recover-rolled")
        remove_orphans(self.home, self.writer.log, self.writer.epoch, self.position.files(), owed)
        self.fire_due()

    # ------------------------------------------------------------------ absorb

    def absorb(self, source_name: str, splits: Sequence[Split], *, ends: bool = False) -> None:
        """Absorbs one micro-batch, durably, and fires what is due.

        `ends`: the source ends with these splits. The commit says so, because a tick after it (`note`) would fire a
        second time.
        """
        check_open(self.plan, self.position, source_name)
        reach("absorb-begin")
        source = self.plan.source(source_name)
        reading = [one.name for one in self.plan.readers(source_name) if not one.window.ends_on_grid]
        self.store.suit([*splits, *self._state(reading)])
        # No two batches have the same time: rows of the second would be late for windows that have fired.
        self.now += 1
        clock = self._look_at_clock()
        dimensions = self._stand_at_clock(clock)
        watermarks = {
            operator.name: self.position.operators[operator.name].watermark
            for operator in self.plan.readers(source_name)
        }
        whole = ends and not self.store.tasks.is_one and comes_whole(self.plan, self.position)
        batch = Batch(source, clock, watermarks, dimensions, ends, whole)
        suspects: set[str] = set()
        entry = None
        while entry is None:
            number = self.writer.log.last + 1
            try:
                result = self.batches.stage(batch, splits, number, self.position)
            except Exception as failure:
                corrupt = corrupt_file(source, splits, failure)
                # Retried once before the file counts as corrupt: the disk may have been at fault.
                splits = without(splits, corrupt) if corrupt in suspects else splits
                suspects.add(corrupt)
                continue
            reach("absorb-ledger")
            commit = self._commit_of(batch, splits, result)
            reach("commit-before")
            # Rows of an archive name the entry: if a backfill has taken its number, they are written again.
            entry = self.writer.append_as(number, commit) if source.is_archived else self.writer.append(commit)
        self._stand_at(commit.position)
        reach("commit-after")
        publish_entry(self.home, self.plan, entry, attempt=self.attempt)
        self.fire_due()

    def _commit_of(self, batch: Batch, splits: Sequence[Split], result: BatchResult) -> Commit:
        # Where reading begins is no split that was read: a topic that comes whole with the next batch still does.
        position = self._after_batch(batch, sum(not split.is_empty for split in splits), result)
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
            removed=tuple(self.tables.removed),
            dimensions=batch.dimensions,
        )

    def _after_batch(self, batch: Batch, files: int, result: BatchResult) -> Position:
        name = batch.source.name
        state = self.position.sources[name]
        state = replace(
            with_proposals(state, result.proposals),
            idle=False,
            ended=batch.ends or state.ended,
            files=state.files + files,
            rows=state.rows + result.row_count,
            rejected=state.rejected + sum(result.rejected.values()),
        )
        operators = dict(self.position.operators)
        for operator, file in result.partials.items():
            before = operators[operator]
            operators[operator] = replace(before, rows=(*before.rows, file))
        moved = self._with_watermarks({**self.position.sources, name: state}, operators)
        return replace(
            self.position,
            sources=moved[0],
            operators=moved[1],
            updating={**self.position.updating, **result.updating},
            versions={
                **self.versions.noted(self.position, moved[1], result.touched),
                **self.throttled.noted(self.position.versions, result.waiting, {name: result.row_count}, batch.clock),
            },
            tables=self.tables.files,
            late=self.position.late + sum(one.late for one in result.late),
            dropped=self.position.dropped + sum(one.dropped for one in result.late),
        )

    def _with_watermarks(
        self, sources: dict[str, SourceState], operators: dict[str, OperatorState]
    ) -> tuple[dict[str, SourceState], dict[str, OperatorState]]:
        timed = with_clock(sources, self.now)
        for operator in self.plan.operators:
            state = operators[operator.name]
            reads, delay = operator.clock, operator.delay
            watermark = operator_watermark(state.watermark, timed, reads, self.plan.zones, delay, operator.waits)
            operators[operator.name] = replace(state, watermark=watermark)
        return sources, operators

    # ------------------------------------------------------------------ time

    def note(self, source_name: str, *, idle: bool = False, ended: bool = False) -> None:
        """Writes a tick for a source that has become idle or has ended, and fires what is due by that."""
        state = self.position.sources[source_name]
        if (state.idle, state.ended) == (idle or state.idle, ended or state.ended):
            return
        sources = {
            **self.position.sources,
            source_name: replace(state, idle=idle or state.idle, ended=ended or state.ended),
        }
        self._tick(sources, dict(self.position.operators))

    def note_parts(self, source_name: str, idle: Iterable[str]) -> None:
        """Writes a tick for parts of a source that have become idle, and fires what is due by that."""
        state = self.position.sources[source_name]
        changed = [part for part in idle if part in state.parts and not state.parts[part].idle]
        if not changed:
            return
        quiet = {part: replace(state.parts[part], idle=True) for part in changed}
        state = with_parts(state, {**state.parts, **quiet})
        self._tick({**self.position.sources, source_name: state}, dict(self.position.operators))

    def advance(self, source_name: str, watermark: int) -> None:
        """Writes a tick for a watermark that advances without rows, and fires what is due by that."""
        state = self.position.sources[source_name]
        state = replace(state, watermark=advanced(state.watermark, watermark))
        self._tick({**self.position.sources, source_name: state}, dict(self.position.operators))

    def pass_time(self) -> None:
        """Publishes what is due by processing time."""
        if self.throttled.due(self.position, self.clock()):
            self.fire_due()
        if not self.plan.waits_for_clock:
            return
        before = self.now
        self._look_at_clock()
        _, operators = self._with_watermarks(dict(self.position.sources), dict(self.position.operators))
        layouts = self.layouts
        fires = (kind_of(layouts[name]).due_until(layouts[name], state) for name, state in operators.items())
        if any(until is not None for until in fires) or self.versions.due(self.position, operators):
            self._tick(dict(self.position.sources), operators)
        else:
            # No entry has this time.
            self.now = before

    def _tick(self, sources: dict[str, SourceState], operators: dict[str, OperatorState]) -> None:
        if self.plan.keeps_clock:
            self._stand_at_clock(self.now if self.plan.waits_for_clock else self._look_at_clock())
        sources, operators = self._with_watermarks(sources, operators)
        noted = {**self.position.versions, **self.versions.noted(self.position, operators, {})}
        position = replace(self.position, sources=sources, operators=operators, versions=noted)
        self.writer.append(Tick((), self._clock_of_tick(), position))
        self._stand_at(position)
        self.fire_due()

    def _clock_of_tick(self) -> int:
        """The processing time of a tick. If windows wait for the clock, it is the one of their watermarks."""
        return self.now if self.plan.keeps_clock else self.clock()

    def fire_due(self) -> None:
        """Fires complete windows, publishes due versions, and moves recent rows to the watermark."""
        self._fire_windows()
        self._move_on()
        if self.throttled.due(self.position, self.clock()):
            # Changes by these two wait as well, until they are due. At the end of the input they are due at once.
            self._fire_windows()
        self._merge_files()

    def _fire_windows(self) -> None:
        self.store.suit(self._state(self.position.operators))
        fired = Round(self.store, self.plan, self.layouts, dict(self.position.operators))
        fired.fire()
        clock = self.clock()
        throttled = self.throttled.due(self.position, clock)
        if not fired.firings and not throttled and not self.versions.may_be_due(self.position):
            return
        reach("fire-closed")
        updates = Updates(self.store, self.plan, self.position, clock)
        try:
            once = [insert for insert in fired.inserts() if insert.timing.publishes_once]
            published = [one for insert in once for one in self._fired(fired, insert)]
            edition = self.versions.publish(self.position, fired.states, self._stage_versions)
            published += edition.published
            for insert in throttled:
                net = self.throttled.net(insert, self.position, self.writer.log.last)
                published += self.staging.stage(insert, net, "changed")
            updates.absorb(fired.read_by_updating())
            changes, waiting = self.batches.stage_changes(updates, self.writer.log.last)
            published += changes
        finally:
            updates.close()
            fired.close()
        if not fired.firings and not throttled and not published and not edition.removed:
            return
        emitted = self.throttled.emitted(self.position.versions, throttled, clock)
        reach("fire-staged")
        position = replace(
            self.position,
            operators=self.versions.with_complete(fired.states),
            windows=self.position.windows + self.versions.completed(self.position, published),
            updating=updates.files,
            tables=self.tables.files,
            versions={**edition.versions, **self.throttled.noted(emitted, waiting, {}, clock)},
        )
        self._decide(published, position, edition.removed)

    def _merge_files(self) -> None:
        """Merges files of state if there are many. It runs after publishing, because no reader waits for it."""
        merged = {
            name: kind_of(self.layouts[name]).compact(self.store, self.layouts[name], state)
            for name, state in self.position.operators.items()
        }
        if merged != self.position.operators:
            position = replace(self.position, operators=merged)
            reach("tick-before")
            self.writer.append(Tick((), self._clock_of_tick(), position))
            self._stand_at(position)
            reach("tick-after")

    def _move_on(self) -> None:
        """Emits rows that come or go as the watermark of their source advances, and rows that wait for its end."""
        moments = moments_due(self.plan.updating, self.position)
        updates = Updates(self.store, self.plan, self.position, self.clock())
        try:
            if not updates.move_on(moments):
                return
            published, waiting = self.batches.stage_changes(updates, self.writer.log.last)
        finally:
            updates.close()
        noted = self.throttled.noted(self.position.versions, waiting, {}, self.clock())
        versions = {**self.position.versions, **noted}
        position = replace(
            self.position,
            updating=updates.files,
            tables=self.tables.files,
            moments=updates.moments,
            versions=versions,
        )
        self._decide(published, position)

    def _decide(self, published: Sequence[Published], position: Position, removed: Sequence[str] = ()) -> None:
        """Appends the entry that decides on staged files, and publishes them."""
        reach("tick-before")
        gone = (*removed, *self.tables.removed)
        versions = self.dimensions.known if self.plan.clocked else {}
        entry = self.writer.append(Tick(tuple(published), self._clock_of_tick(), position, gone, versions))
        self._stand_at(position)
        reach("tick-after")
        publish_entry(self.home, self.plan, entry, attempt=self.attempt)

    def replace_files(self, published: Sequence[Published], removed: Sequence[str]) -> None:
        """Publishes staged files that replace others and change no result."""
        self._decide(published, self.position, removed)

    def _state(self, operators: Iterable[str]) -> list[StateFile]:
        """The state files of these operators and of all updating operators."""
        states = [self.position.operators[name] for name in operators]
        windows = [file for state in states for file in (*state.rows, *state.closed)]
        return [*windows, *(file for files in self.position.updating.values() for file in files)]

    def _fired(self, fired: Round, insert: Insert) -> list[Published]:
        firing = next(fired.firings[name] for name in insert.operators if name in fired.firings)
        frame = with_state(insert, fired.result(insert.query), string_literal(COMPLETE))
        stride = self.layouts[firing.operator].operator.window.stride
        return self.staging.stage(insert, frame, COMPLETE, (firing.until - firing.after) // stride)

    def _stage_versions(self, insert: Insert, frame: DataFrame, windows: int) -> list[Published]:
        return self.staging.stage(insert, frame, EARLY, windows)

    # ------------------------------------------------------------------ housekeeping

    def _stand_at(self, position: Position) -> None:
        """Continues from a position in the log, and removes state files that are no longer referred to."""
        waiting = frozenset().union(*self._released)
        self._released.append((self.position.files() | self.store.standing) - position.files() - waiting)
        self.position = position
        self.tables.stand_at(position.tables)
        while len(self._released) > COMMITS_KEPT:
            self.store.remove(self._released.pop(0))
            reach("clean-after")

    def close(self) -> None:
        """Removes the scratch directory of this epoch."""
        shutil.rmtree(self.home.scratch / str(self.writer.epoch), ignore_errors=True)
