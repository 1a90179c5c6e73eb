"""Fills tables that were added to a report with the windows of their twins' tables, between the batches of a driver.

Nothing is computed again: the newest version of each window is read back and staged, an entry decides, and it is
published as any other. The log alone says what is filled, so the next driver goes on where this one dies.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.errors import DataError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.texts import counted
from airflow_nrt.basics.undone import undone
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.failures.servers import AWAY
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.publish.entry_notes import EntryNotes
from airflow_nrt.engine.publish.fitting import Fitting
from airflow_nrt.engine.publish.owing import MOST_SECONDS, Attempt
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.spark.tuning import Tuning
from airflow_nrt.engine.versions.early_and_late_results import with_state
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Fill, Published, Restate
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.history.first_windows import first_windows
from airflow_nrt.home.log.history.lacking import lacking
from airflow_nrt.home.log.history.sink_history import ADDED, Change
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.notes.first_windows import lacks_earlier, note_first_windows
from airflow_nrt.home.visible import waiting
from airflow_nrt.home.window_events import RESTATED
from airflow_nrt.home.written.directory_names import new_name
from airflow_nrt.home.written.durable_files import make_durable
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.result_timing import COMPLETE

WINDOWS_AT_ONCE, ROWS_AT_ONCE = 240, 1_000_000
"""How many windows, and of them how many rows, an entry has at most; but one window at least."""

log = logging.getLogger(__name__)


class Filling:
    """The filling of the added tables of one home, by one driver."""

    def __init__(self, spark: SparkSession, home: Home, plan: Plan, writer: Writer, attempt: Attempt) -> None:
        self._spark = spark
        self._home = home
        self._plan = plan
        self._writer = writer
        self._attempt = attempt
        self._tuning = Tuning(spark)
        self._fitting = Fitting(spark, home)
        self._notes = EntryNotes(spark, home, self._fitting)
        self._added = home.identity().added
        self._pause = 0.0
        self._done: Counter[str] = Counter()
        self._look()
        for name, end in note_first_windows(home, first_windows(writer.log, self._added)).items():
            log.warning("%s", lacks_earlier(name, end))

    def __bool__(self) -> bool:
        """Whether windows are still to be filled."""
        return bool(self._lacking)

    def __str__(self) -> str:
        """How far it is."""
        return "; ".join(
            f"filling {name}: {self._done[name]:,} of {counted(self._done[name] + len(left), 'window')}"
            for name, left in self._lacking.items()
        )

    @property
    def first(self) -> dict[str, int]:
        """By insert, the first entry whose windows its table lacks."""
        return {name: min(one.entry for one in left) for name, left in self._lacking.items()}

    def step(self) -> None:
        """Fills some windows. A twin whose server does not answer is asked again later."""
        if not self or time.monotonic() < self._pause:
            return
        try:
            with undone(self._tuning.restore):
                self._fill()
        except Exception as failure:
            gone = explained(failure)
            if not isinstance(gone, AWAY):
                raise
            log.warning("%s waits %s s: %s", self, MOST_SECONDS, gone)
            self._pause = time.monotonic() + MOST_SECONDS

    def _look(self) -> None:
        self._lacking = lacking(past_results(self._writer.log), self._added)
        self._seen = self._writer.log.last

    def _follow(self) -> None:
        """Looks again after a restatement: that of a backfill with the former report is of the twin alone."""
        if any(isinstance(entry.body, Restate) for entry in self._writer.log.entries(self._seen + 1)):
            self._look()
        self._seen = self._writer.log.last

    def _fill(self) -> None:
        self._follow()
        name, left = next(iter(self._lacking.items()), ("", []))
        some = list(_some(left))
        windows = [one.published for one in some]
        if not some or waiting(self._home, windows):
            # Whoever decided on them is publishing them.
            return
        insert, twin = self._plan.insert(name), self._plan.insert(self._added[name])
        number = self._writer.log.last + 1
        directory = self._home.staged / new_name(self._writer.epoch)
        state = COMPLETE if some[0].op == ADDED else RESTATED
        self._notes.begin()
        staged, left_out = self._staged(insert, twin, windows, directory.local, state)
        self._notes.write(number)
        reach("fill-staged")
        ends = {one.end for one in windows}
        entry, rest = None, [one for one in left if one.published.end not in ends]
        self._writer.check()
        if self._writer.log.last < number:
            absent, since = _absent(twin, windows, staged, left_out), min(one.entry for one in some)
            body = Fill(name, twin.name, tuple(staged), since, absent, len(rest))
            make_durable(self._home, staged)
            entry = self._writer.append_as(number, body)
        if entry is None:
            # A restatement came in between: it may have replaced what was read.
            directory.delete_all()
            return
        self._lacking = {**self._lacking, name: rest}
        if not rest:
            del self._lacking[name]
        reach("fill-decided")
        publish_entry(self._spark, self._home, self._plan, entry, attempt=self._attempt)
        self._done[name] += len(some)
        log.info("filled %s: %s windows of %s, %s to go", name, self._done[name], twin.name, len(rest))
        if absent:
            log.warning("%s windows are gone from the table of %s: %s is filled without", len(absent), twin.name, name)

    def _staged(
        self, insert: Insert, twin: Insert, windows: Sequence[Published], directory: Path, state: str
    ) -> tuple[list[Published], int]:
        """The windows, and how many of their rows the table can't take."""
        self._tuning.tune_for_rows(sum(one.rows for one in windows))
        decided = {(one.insert, one.target): one for one in windows}
        rows = sink_of(twin).standing(self._spark, twin, decided, [one.end for one in windows]).rows
        # By position: the columns of the two tables may have other names.
        pairs = zip(twin.query.fields, insert.query.fields)
        named = rows.selectExpr(*(f"{quote(a.name)} AS {quote(b.name)}" for a, b in pairs), WINDOW_END)
        frame = with_state(insert, named, string_literal(COMPLETE))
        tasks = min(self._tuning.tasks.count, len(windows))

        def stage(fit: DataFrame) -> Iterable[Published]:
            return sink_of(insert).stage(fit, insert, directory, state, tasks)

        return self._fitting.stage(insert, frame, stage)


def _some(windows: Sequence[Change]) -> Iterator[Change]:
    """The first of these windows, as many as an entry has: all are new to the table, or none is."""
    rows = 0
    for n, one in enumerate([one for one in windows if one.op == windows[0].op][:WINDOWS_AT_ONCE]):
        rows += one.published.rows
        if n and rows > ROWS_AT_ONCE:
            return
        yield one


def _absent(twin: Insert, windows: Sequence[Published], staged: Sequence[Published], left_out: int) -> tuple[int, ...]:
    """The ends of windows that are gone from the twin's table. Raises DataError if a window has lost or got rows.

    The table that is filled can't take so many rows, which are `left_out` of some windows.
    """
    found: dict[int | None, int] = {}
    for one in staged:
        found[one.end] = found.get(one.end, 0) + one.rows
    for one in windows:
        count = found.get(one.end, one.rows)
        if count > one.rows or (count < one.rows and not left_out):
            raise DataError(
                f"the table of {twin.name} has {counted(count, 'row')} of the window that ends "
                f"{format_instant(one.end)}, and {one.rows} were published: repair it (airflow-nrt backfill --verify "
                "--on-mismatch repair), or remove the window from the table"
            )
    return tuple(one.end for one in windows if one.end is not None and one.end not in found)
