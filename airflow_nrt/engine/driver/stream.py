"""The stream driver: performs on Spark what `decide/` decides, one event after another. One thread at a time.

The way of a row: `sources` → `time` → `windows` (absorb) → `state` → `windows` (fire) → `sinks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.decide.decide import Decisions
from airflow_nrt.engine.driver.performing import Performing
from airflow_nrt.engine.driver.spark_computation import SparkComputation
from airflow_nrt.engine.faults import reach
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.publish.recovery import remove_orphans, roll_forward
from airflow_nrt.engine.sampling.window_samples import sample_last
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Position, Published
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.fold.checkpoints import state_of
from airflow_nrt.home.log.history.row_semantics import plan_of_next
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.plan import Plan


class StreamDriver:
    """A driver with a lease. `spark` is a session of its report alone, which has the functions of the plan.

    `clock` gives processing time in milliseconds, `attempt` publishes or owes.
    """

    def __init__(
        self,
        spark: SparkSession,
        plan: Plan,
        home: Home,
        writer: Writer,
        clock: Callable[[], int] = now_ms,
        attempt: Attempt = at_once,
    ) -> None:
        begun = state_of(writer.log)
        plan = plan_of_next(plan, begun.position)
        self.spark = spark
        self.plan = plan
        self.home = home
        self.writer = writer
        self.attempt = attempt
        self.computation = SparkComputation(spark, plan, home, writer.epoch, begun.written)
        self._decisions = Decisions(plan)
        self._performing = Performing(self.computation, writer, self._publish, clock)
        self._performing.run(self._decisions.begun(begun.position, begun.clock))
        self.computation.stand_at(self.position)

    @property
    def position(self) -> Position:
        return self._performing.at.position

    def recover(self) -> None:
        """Checks the state, publishes what the log has decided, removes the files of crashes, and fires what is due.

        Raises HomeError if a file of state is damaged.
        """
        self.computation.check(self.position)
        owed = roll_forward(self.spark, self.home, self.plan, self.writer.log, attempt=self.attempt)
        sample_last(self.home, self.plan, self.writer.log)
        reach("recover-rolled")
        remove_orphans(self.home, self.writer.log, self.writer.epoch, self.position.files(), owed)
        self._performing.run(self._decisions.settle(self._performing.at))

    def absorb(self, source: str, splits: Sequence[Split], *, ends: bool = False) -> None:
        """Absorbs one micro-batch, durably, and fires what is due; `ends`: the source ends with these splits."""
        reach("absorb-begin")
        self._performing.run(self._decisions.arrived(self._performing.at, source, splits, ends=ends))

    def note(self, source: str, *, idle: bool = False, ended: bool = False) -> None:
        """Writes a tick for a source that has become idle or has ended, and fires what is due by that."""
        if idle:
            self._performing.run(self._decisions.idle(self._performing.at, source))
        if ended:
            self._performing.run(self._decisions.ended(self._performing.at, source))

    def active_parts(self, source: str) -> frozenset[str]:
        """The parts of a source that hold back its watermark."""
        return frozenset(part for part, state in self.position.sources[source].parts.items() if not state.idle)

    def note_parts(self, source: str, idle: Iterable[str]) -> None:
        """Writes a tick for parts of a source that have become idle, and fires what is due by that."""
        self._performing.run(self._decisions.idle_parts(self._performing.at, source, idle))

    def advance(self, source: str, watermark: int) -> None:
        """Writes a tick for a watermark (ms) that advances without rows, and fires what is due by that."""
        self._performing.run(self._decisions.advanced(self._performing.at, source, watermark))

    def pass_time(self) -> None:
        """Publishes what is due by processing time."""
        self._performing.run(self._decisions.passed(self._performing.at))

    def replace_files(self, published: Sequence[Published], removed: Sequence[str]) -> None:
        """Publishes staged files that replace others and change no result."""
        self._performing.run(self._decisions.replaced(self._performing.at, published, removed))

    def close_directories(self, source: str, directories: Sequence[str]) -> None:
        """Writes a tick for directories of a source that have closed."""
        self._performing.run(self._decisions.closed(self._performing.at, source, directories))

    def _publish(self, entry: Entry) -> None:
        publish_entry(self.spark, self.home, self.plan, entry, attempt=self.attempt)

    def close(self) -> None:
        """Removes the scratch directory of this epoch."""
        (self.home.scratch / str(self.writer.epoch)).delete_all()
