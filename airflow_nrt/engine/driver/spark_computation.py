"""What Spark does for a stream: rows to state and staged results, below the home."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.dimensions.current import CurrentVersions
from airflow_nrt.engine.driver.batch_staging import BatchStaging
from airflow_nrt.engine.driver.decide.actions import Absorb, BatchResult, Fire, Fired, Moved, MoveOn, Unreadable
from airflow_nrt.engine.driver.decide.released_state_files import Released
from airflow_nrt.engine.driver.report_state import ReportState
from airflow_nrt.engine.failures.failures import corrupt_file, in_short, in_windows
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.publish.entry_notes import EntryNotes
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.updates import Updates
from airflow_nrt.engine.versions.early_and_late_results import with_state
from airflow_nrt.engine.windows.arrival_numbers import compact_numbers
from airflow_nrt.engine.windows.execution import execution_of
from airflow_nrt.engine.windows.firing import Round
from airflow_nrt.engine.windows.firing_clock import fires_at
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, OperatorState, Position, Published, StateFile, Tick
from airflow_nrt.home.log.named_files import NamedFiles
from airflow_nrt.home.log.position.throttle import waiting_after
from airflow_nrt.home.log.splits import Split
from airflow_nrt.home.written.durable_files import make_durable, written_in
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import COMPLETE, EARLY

log = logging.getLogger(__name__)


class SparkComputation:
    """The `Computation` of one driver, in the session of its report. The names of its files begin with `epoch`; `named`
    are those of state that entries have named."""

    def __init__(self, spark: SparkSession, plan: Plan, home: Home, epoch: int, named: NamedFiles) -> None:
        self._spark = spark
        self._plan = plan
        self._home = home
        self._dimensions = CurrentVersions(spark, plan, home)
        self._store = SliceStore(spark, home, epoch, named)
        self._report = ReportState(plan, self._store)
        self._batches = BatchStaging(self._report)
        self._notes = EntryNotes(spark, home, self._report.fitting)
        self.released = Released()

    def tune(self, files: Iterable[Split | StateFile]) -> bool:
        self._store.tuning.tune_for(files)
        return self._store.tasks.is_one

    def untune(self) -> None:
        self._store.tuning.restore()

    def set_clock(self, clock: int) -> Mapping[str, str]:
        for operator in self._plan.clocked:
            fires_at(self._spark, operator, clock)
        return self._dimensions.at(clock, self._store.tasks)

    def absorb(self, action: Absorb, last: int) -> BatchResult | Unreadable:
        self._notes.begin()
        try:
            result = self._batches.stage(action.batch, action.splits, last + 1, action.position)
        except Exception as failure:
            splits, place = action.splits, partial(self._failing_row, action, last + 1, failure)
            return Unreadable(corrupt_file(action.batch.source, splits, failure, self._plan.origins, place))
        if result.unreadable:
            text = "%s: rejected %s that can't be read, one of them %s (`airflow-nrt late` lists them)"
            log.warning(text, action.batch.source.name, counted(result.unreadable, "row"), result.example)
        self._notes.write(last + 1)
        reach("absorb-ledger")
        return result

    def fire(self, action: Fire, last: int) -> Fired:
        position = action.position
        self._notes.begin()
        fired = Round(self._store, self._plan, self._report.layouts, dict(position.operators))
        fired.fire()
        reach("fire-closed")
        updates = Updates(self._store, self._plan, position, action.clock)
        try:
            once = [insert for insert in fired.inserts() if insert.timing.publishes_once]
            published = [one for insert in once for one in self._fired(fired, insert)]
            versions = self._report.versions.stage(position, fired.states, self._stage_versions)
            published += [one for staged in versions.values() for one in staged.published]
            for insert in action.throttled:
                net = self._report.throttled.net(insert, position, last)
                published += self._report.staging.stage(insert, net, "changed")
            updates.absorb(fired.read_by_updating())
            waiting = waiting_after(self._plan, position, action.throttled)
            changes, waiting = self._batches.stage_changes(updates, last, waiting)
            published += changes
        except Exception as failure:
            ends = [one.until for one in fired.firings.values()]
            placed = in_windows(failure, max(ends), self._plan.origins) if ends else None
            if placed is None:
                raise
            raise placed from failure
        finally:
            updates.close()
            fired.close()
        self._notes.write(last + 1)
        reach("fire-staged")
        tables, removed = self._report.tables.files, tuple(self._report.tables.removed)
        return Fired(fired.states, tuple(published), versions, updates.files, waiting, tables, removed)

    def move_on(self, action: MoveOn, last: int) -> Moved | None:
        self._notes.begin()
        updates = Updates(self._store, self._plan, action.position, action.clock)
        try:
            if not updates.move_on(action.moments):
                return None
            waiting = waiting_after(self._plan, action.position, ())
            published, waiting = self._batches.stage_changes(updates, last, waiting)
        finally:
            updates.close()
        self._notes.write(last + 1)
        tables, removed = self._report.tables.files, tuple(self._report.tables.removed)
        return Moved(tuple(published), updates.files, updates.moments, waiting, tables, removed)

    def compact(self, operators: Mapping[str, OperatorState]) -> Mapping[str, OperatorState]:
        compacted = {}
        for name, state in operators.items():
            layout = self._report.layouts[name]
            numbers = compact_numbers(self._store, layout, state)
            compacted[name] = execution_of(layout).compact(self._store, layout, replace(state, numbers=numbers))
        return compacted

    def keep(self, body: Commit | Tick) -> NamedFiles:
        written = {**self._store.name_new(body.position.files()), **self._ledger(body)}
        make_durable(self._home, body.published, written)
        return written

    def stand_at(self, position: Position) -> None:
        self._store.are_named(position.files())
        gone = self.released.after(position.files(), self._store.standing)
        self._report.tables.stand_at(position.tables)
        for files in gone:
            self._store.remove(files)
            reach("clean-after")

    def check(self, position: Position) -> None:
        """Raises HomeError if a file of state is not what its entry says."""
        self._store.check(position.files())

    def _ledger(self, body: Commit | Tick) -> NamedFiles:
        if not isinstance(body, Commit) or body.ledger is None:
            return {}
        return {kind.key: written_in(kind) for kind in (self._home.root / body.ledger).below()}

    def _failing_row(self, action: Absorb, number: int, failure: Exception) -> str:
        """Where the row is at which a batch failed, as far as that is found."""
        log.info("searching the row that can't be computed")
        try:
            return self._batches.failing_row(action.batch, action.splits, number, action.position, failure)
        except Exception as other:
            log.info("the row that can't be computed was not found: %s", in_short(other))
            return ""

    def _fired(self, fired: Round, insert: Insert) -> list[Published]:
        firing = next(fired.firings[name] for name in insert.operators if name in fired.firings)
        frame = with_state(insert, fired.result(insert.query), string_literal(COMPLETE))
        pace = self._report.layouts[firing.operator].operator.window.grid.shortest
        return self._report.staging.stage(insert, frame, COMPLETE, (firing.until - firing.after) // pace)

    def _stage_versions(self, insert: Insert, frame: DataFrame, windows: int) -> list[Published]:
        return self._report.staging.stage(insert, frame, EARLY, windows)
