"""Staging a micro-batch for everything that reads it: partials, results without a window, an archive, the ledger.

None of it counts before the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pyspark.sql import DataFrame

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.batch.batch import needs_position
from airflow_nrt.engine.driver.batch_rows import BatchRows
from airflow_nrt.engine.driver.decide.actions import Batch, BatchResult
from airflow_nrt.engine.driver.decide.unreadable_rows import exceeds_limit
from airflow_nrt.engine.driver.failing_row import FailingRow
from airflow_nrt.engine.driver.report_state import ReportState
from airflow_nrt.engine.driver.shared_partials import SharedPartials
from airflow_nrt.engine.driver.single_batch import whole_result
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.publish.ledger import (
    example,
    rejected_rows,
    rejections,
    write_late,
    write_rejected,
    write_unreadable,
)
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.engine.state.store import Written
from airflow_nrt.engine.time.accept_or_reject import judge, limited, metered, rejected, without_lines
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.engine.time.future import latest_rowtime
from airflow_nrt.engine.updating.updates import Updates
from airflow_nrt.engine.windows.arrival_numbers import with_numbered_rows, with_numbers
from airflow_nrt.engine.windows.execution import execution_of
from airflow_nrt.engine.windows.no_rows import no_rows
from airflow_nrt.home.ledger import MALFORMED, TIMELESS
from airflow_nrt.home.log.entries import ARCHIVED, PASSED, Lateness, Position, Published, StateFile
from airflow_nrt.home.log.position.partition_watermarks import proposed
from airflow_nrt.home.log.position.throttle import Waiting, waiting_after
from airflow_nrt.home.log.splits import Split
from airflow_nrt.home.written.directory_names import new_name
from airflow_nrt.model.input.rejected_rows import REJECTED_VIEW
from airflow_nrt.model.internal_columns import NUMBERED
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import ARCHIVE
from airflow_nrt.model.plan import Source
from airflow_nrt.model.result_timing import COMPLETE

_Staged = tuple[dict[str, Written], dict[str, tuple[StateFile, ...]], list[Published]]
"""By operator what it has absorbed, and its numbers of arrival after that; and results."""


class BatchStaging:
    """Stages the batches of one driver, each as of the position before it."""

    def __init__(self, report: ReportState) -> None:
        self._report = report
        self._plan = report.plan
        self._store = report.store
        self._spark, self._home = report.store.spark, report.store.home
        several = len(report.plan.sources) > 1
        self._nothing = {one.name: no_rows(self._spark, one) for one in report.plan.sources if several}

    def stage(
        self, batch: Batch, splits: Sequence[Split], number: int, position: Position, only: str | None = None
    ) -> BatchResult:
        """Stages the splits of a batch, which the entry `number` will commit. `position` is that before it.

        Of their rows it takes only those that meet a predicate, if there is one.
        """
        source, clock = batch.source, batch.clock
        write = self._compute if batch.is_whole else self._write
        self._report.tables.stand_at(position.tables)
        ledger = f"ledger/{new_name(self._store.epoch)}"
        corrupt = [split for split in splits if split.corrupt]
        if corrupt:
            write_unreadable(self._home, ledger, source.name, corrupt)
        if len(corrupt) == len(splits):
            staged = tuple(self._rejected(source, ledger, clock))
            rejected_files = rejections(self._home, ledger)
            proposals = proposed(splits, {})
            return BatchResult(number, ledger=ledger, rejected=rejected_files, published=staged, proposals=proposals)
        if all(split.is_empty for split in splits) and not self._plan.updating:
            return BatchResult(number, proposals=dict.fromkeys(source_of(source.table).parts(splits)))
        latest = latest_rowtime(self._spark, self._plan, source, clock)
        arrival = absorbed(clock, position.sources[source.name].watermark)
        usable = [split for split in splits if not split.corrupt]
        numbers = self._numbers(source, splits, position)
        read = self._read(source, usable, numbers)
        read = read if only is None else read.where(only)
        judged = judge(read, source, latest, arrival, number=str(position.sources[source.name].row_semantics))
        # Windows read what is staged for the archive.
        readers = 1 if source.is_archived else len(batch.watermarks)
        several = readers + len(self._plan.passing(source.name)) + len(self._plan.updated_through(source.name)) > 1
        judged = without_lines(judged).persist() if several else judged
        parts = source_of(source.table).parts(splits)
        observed = {part: f"proposal_{n}" for n, part in enumerate(parts)}
        watched, counts = metered(judged, {name: parts[part] for part, name in observed.items()}, limited(source))
        updates = Updates(self._store, self._plan, position, clock)
        rows = BatchRows(source, number, usable, numbers, latest, arrival, watched, judged)
        try:
            written, counts_of_keys, published = write(batch, rows, position, updates)
            waiting = waiting_after(self._plan, position, ())
            changes, waiting = self.stage_changes(updates, number - 1, waiting)
        except BaseException:
            judged.unpersist()
            raise
        finally:
            updates.close()
        counted = counts.get
        reach("absorb-written")
        late = [Lateness(name, one.late, one.dropped) for name, one in written.items() if one.late]
        for lateness in late:
            write_late(self._spark, self._home, ledger, lateness.operator, written[lateness.operator].path)
        if counted["rejected"]:
            # A batch of garbage is refused with one of its rows, and is not written.
            too_many = exceeds_limit(position.sources[source.name], batch, counted["rows"], counted["unreadable"])
            listed = judged.where(limited(source)).limit(1) if too_many else judged
            write_rejected(self._home, ledger, rejected(listed, source))
        if several:
            judged.unpersist()
        found = rejections(self._home, ledger)
        if found:
            changes += self._rejected(source, ledger, clock)
        partials = {name: one.file for name, one in written.items() if one.file is not None}
        return BatchResult(
            number=number,
            row_count=counted["rows"],
            proposals=proposed(splits, {part: counted[name] for part, name in observed.items()}),
            partials=partials,
            numbers=counts_of_keys,
            updating=updates.files,
            published=(*published, *changes),
            late=tuple(late),
            ledger=ledger if late or found else None,
            rejected=found,
            unreadable=counted["unreadable"],
            example=example(self._home, ledger, (MALFORMED, TIMELESS)) if counted["unreadable"] else "",
            touched=self._report.versions.touched(partials),
            waiting=waiting,
            tables=self._report.tables.files,
            removed=tuple(self._report.tables.removed),
        )

    def failing_row(
        self, batch: Batch, splits: Sequence[Split], number: int, position: Position, failure: Exception
    ) -> str:
        """Where the row is at which a batch that failed can't be computed; empty if it is no single row."""
        meaning, own = _without_value(str(explained(failure, self._plan.origins))), f"{self._store.epoch}-"
        staged = {*self._home.staged.names()}

        def fails(some: Sequence[Split], only: str | None) -> bool:
            try:
                self.stage(batch, some, number, position, only)
            except Exception as other:
                return _without_value(str(explained(other, self._plan.origins))) == meaning
            finally:
                for name in {*self._home.staged.names()} - staged:
                    if name.startswith(own):
                        (self._home.staged / name).delete_all()
            return False

        usable = [split for split in splits if not split.corrupt]
        return FailingRow(batch.source, lambda some: self._read(batch.source, some, None), fails).find(usable)

    def _read(self, source: Source, splits: Sequence[Split], numbers: dict[str, int] | None) -> DataFrame:
        request = ReadRequest(splits, self._store.tasks, numbers, schemas=self._home.schemas)
        return source_of(source.table).read(self._spark, source, request)

    def _numbers(self, source: Source, splits: Sequence[Split], position: Position) -> dict[str, int] | None:
        """The numbers of the splits, where the order of rows matters."""
        first = position.sources[source.name].files
        ordered = needs_position(self._plan, source.name)
        return {split.name: first + n for n, split in enumerate(splits)} if ordered else None

    def _write(self, batch: Batch, rows: BatchRows, position: Position, updates: Updates) -> _Staged:
        """Writes the batch for every consumer."""
        source = batch.source
        written: dict[str, Written] = {}
        numbers: dict[str, tuple[StateFile, ...]] = {}
        published: list[Published] = []
        of_windows: Callable[[int | None], DataFrame] = rows.take
        if source.is_archived:
            insert = self._plan.insert(source.table.options[ARCHIVE])
            frame = run_query(insert.query, {source.name: rows.archived()})
            published += self._report.staging.stage(insert, frame, ARCHIVED)
            of_windows = rows.staged(self._spark, self._home, published, self._store.tasks)
        shared = SharedPartials()
        for operator in self._plan.readers(source.name):
            layout, watermark = self._report.layouts[operator.name], batch.watermarks[operator.name]
            found = shared.written(layout, watermark)
            if found is None:
                state = position.operators[operator.name]
                views = self._views(operator.input, source, of_windows(watermark))
                with with_numbered_rows(self._store, layout, state, views) as known:
                    partials = execution_of(layout).absorb(self._store, layout, state, known)
                    found = self._store.write(operator.name, partials, layout.closes)
                    if operator.numbering is not None:
                        numbers[operator.name] = with_numbers(self._store, layout, state, known[NUMBERED])
                shared.add(layout, watermark, found)
            written[operator.name] = found
        for insert in self._plan.passing(source.name):
            frame = run_query(insert.query, self._views(insert.query, source, rows.take(None)))
            published += self._report.staging.stage(insert, frame, PASSED)
        updates.absorb({source.name: partial(rows.take, None)} if self._plan.updated_by(source.name) else {})
        return written, numbers, published

    def _compute(self, batch: Batch, rows: BatchRows, position: Position, updates: Updates) -> _Staged:
        """Computes all windows, if the batch has all of their rows."""
        result = whole_result(self._plan, rows.take(None), self._store.tasks)
        return {}, {}, self._report.staging.stage(self._plan.inserts[0], result, COMPLETE, END_OF_TIME)

    def _rejected(self, source: Source, ledger: str, clock: int) -> list[Published]:
        """Stages what the ledger of a batch lists for the table of rejected rows, if there is one."""
        insert = source.rejected_into
        if insert is None:
            return []
        rows = rejected_rows(self._spark, self._home, ledger, clock)
        return self._report.staging.stage(insert, run_query(insert.query, {REJECTED_VIEW: rows}), PASSED)

    def stage_changes(self, updates: Updates, last: int, waiting: Waiting) -> tuple[list[Published], Waiting]:
        """Stages the changes of updating operators since the entry `last`; those of throttled inserts are `waiting`."""
        changes = updates.changes(last)
        states = {True: "changed", False: PASSED}
        at_once, waiting = self._report.throttled.hold(changes, waiting)
        staged = [self._report.staging.stage(insert, frame, states[insert.changes]) for insert, frame in at_once]
        return [one for some in staged for one in some], waiting

    def _views(self, query: Query, source: Source, rows: DataFrame) -> dict[str, DataFrame]:
        """The inputs of a query in a batch: its rows, and no rows of other sources."""
        return {**{name: self._nothing[name] for name in query.inputs if name != source.name}, source.name: rows}


def _without_value(message: str) -> str:
    """The message of a value from the expression on: the values of two rows may differ."""
    return message.partition(": ")[2]
