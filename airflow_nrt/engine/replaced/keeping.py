"""Reads windows back from their sinks and keeps their rows below the home, before a restatement replaces them.

What an entry names as replaced is what stood when the entry before it was written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.publish.fitting import held_rows
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.replaced.replaced_samples import samples_of
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.sink import Decided
from airflow_nrt.engine.spark.tuning import ONE, Tasks
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import UNNAMED_VERSIONS_MS
from airflow_nrt.home.log.entries import Entry, Published, Restate
from airflow_nrt.home.log.named_files import NamedFile, NamedFiles
from airflow_nrt.home.replaced.kept_rows import (
    REPLACED,
    SumsOfWindows,
    WindowSums,
    new_directory,
    write_after,
    write_before,
    write_samples_of_replaced,
)
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.home.written.durable_files import make_durable, written_in
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.plan import Insert, Plan


@dataclass
class Keeping:
    """Keeps the rows that one restatement of a report replaces, for so long (`keep`, ms; 0: it keeps none).

    `published` is what the log says of the sinks up to the entry that the restatement is as of.
    """

    spark: SparkSession
    plan: Plan
    home: Home
    published: Decided
    keep: int
    tasks: Tasks = ONE
    attempt: Attempt = at_once
    notes: list[str] = field(default_factory=list)
    _directory: StorePath | None = None
    _inserts: tuple[str, ...] = ()

    def __call__(self, body: Restate, later: Sequence[Entry]) -> NamedFiles:
        """A `Keep`. Raises as `Sink.standing` does."""
        if not self.keep:
            return {}
        if self._directory is not None:
            self._directory.delete_all()
            self._directory = None
        if any(isinstance(entry.body, Restate) for entry in later):
            # Their processes may still be publishing.
            roll_forward(self.spark, self.home, self.plan, self.home.log(), beside_driver=True, attempt=self.attempt)
        kept = self._kept(body, decided_after(self.published, later))
        make_durable(self.home, (), kept)
        return kept

    def _kept(self, body: Restate, decided: Decided) -> NamedFiles:
        sums: dict[str, Mapping[int, WindowSums]] = {}
        kept: dict[str, tuple[NamedFile, ...]] = {}
        for name, ends in replaced_windows(body, decided).items():
            insert = self.plan.insert(name)
            if not self._can_be_read(insert):
                continue
            self._directory = self._directory or new_directory(self.home, now_ms())
            path = self._directory / REPLACED / name
            write_rows(sink_of(insert).standing(self.spark, insert, decided, sorted(ends)).rows, path, self.tasks)
            found = sums_of(self.spark.read.parquet(str(path.local)), insert)
            # Where somebody has removed all rows, there are none to be kept.
            if found:
                kept[path.key], sums[name] = written_in(path), found
                samples = samples_of(insert, path, kept[path.key], found)
                write_samples_of_replaced(self._directory, name, samples)
        if self._directory is not None:
            write_before(self._directory, SumsOfWindows(sums, now_ms() + max(self.keep, UNNAMED_VERSIONS_MS)))
        self._inserts = tuple(sums)
        return kept

    def note_new(self, entry: Entry) -> None:
        """Notes the sums of the rows that took the place of those that were kept, where no later entry has decided on
        their window."""
        if self._directory is None:
            return
        # What was to be done is done, also where its sums can't be read.
        with suppress(NrtError, OSError):
            write_after(self._directory, SumsOfWindows(self._new_sums(entry)))

    def _new_sums(self, entry: Entry) -> dict[str, Mapping[int, WindowSums]]:
        now = decided_after(self.published, (entry,))
        sums: dict[str, Mapping[int, WindowSums]] = {}
        for name in self._inserts:
            insert = self.plan.insert(name)
            ends = {one.end for one in entry.published if one.insert == name and one.end is not None}
            rows = sink_of(insert).standing(self.spark, insert, now, sorted(ends)).rows
            sums[name] = sums_of(rows, insert)
        later = {(one.insert, one.end) for after in self.home.log().entries(entry.n + 1) for one in after.published}
        return {
            name: {end: one for end, one in some.items() if (name, end) not in later} for name, some in sums.items()
        }

    def _can_be_read(self, insert: Insert) -> bool:
        why = not_readable(self.spark, self.home, insert)
        if why is not None and connector_of(insert.sink).keeps_rows:
            self.notes.append(f"{insert.name}: the rows that were there before are not kept: {why}")
        return why is None


def not_readable(spark: SparkSession, home: Home, insert: Insert) -> str | None:
    """Why the rows of a table can't be read back as they were written, None if they can."""
    if not connector_of(insert.sink).keeps_rows:
        return f"what connector '{insert.sink.connector}' wrote can't be read back"
    unread = held_rows(spark, home, insert).unread
    return f"its table does not give back what was written into {', '.join(sorted(unread))}" if unread else None


def replaced_windows(body: Restate, decided: Decided) -> dict[str, set[int]]:
    """By insert, the ends of the windows that stand by the log, and that a restatement publishes or removes. Somebody
    may have changed their rows in the sink: so the log does not say whether they are the same."""
    places = [(one.insert, one.target) for one in body.published]
    places += [(insert, place) for insert, _, place in (target.partition("/") for target in body.removed)]
    found: dict[str, set[int]] = {}
    for place in places:
        standing = decided.get(place)
        if standing is not None and standing.end is not None:
            found.setdefault(standing.insert, set()).add(standing.end)
    return found


def write_rows(rows: DataFrame, path: StorePath, tasks: Tasks) -> None:
    """Writes rows with `_nrt_end` as Parquet, those of a window beside each other."""
    together = rows.coalesce(1) if tasks.is_one else rows.repartition(tasks.count, WINDOW_END)
    together.sortWithinPartitions(WINDOW_END).write.option("compression", "zstd").parquet(str(path.local))


def sums_of(rows: DataFrame, insert: Insert) -> dict[int, WindowSums]:
    """By window, the number of rows, and the sums of the columns with numbers that are no keys."""
    keys = {*(insert.key or ())}
    numbers = [one for one in insert.sink.physical if one.type.is_numeric and one.name not in keys]
    sums = ", ".join(f"{string_literal(one.name)}, {sum_sql(one.name, one.type)}" for one in numbers)
    by_name = F.expr(f"map({sums})" if sums else "CAST(NULL AS MAP<STRING, STRING>)")
    counted = rows.groupBy(WINDOW_END).agg(F.count("*"), by_name)
    return {
        end: WindowSums(count, {name: text for name, text in (sums or {}).items() if text is not None})
        for end, count, sums in counted.collect()
        if end is not None
    }


def sum_sql(name: str, kind: DataType) -> str:
    """SQL of the sum of a column as a text, NULL where it has more digits than there is room for.

    >>> print(sum_sql("gmv", DataType("DECIMAL", 20, 4)))
    CAST(try_sum(CAST(`gmv` AS DECIMAL(38, 4))) AS STRING)
    """
    if kind.is_approximate:
        return f"CAST(sum(CAST({quote(name)} AS DOUBLE)) AS STRING)"
    return f"CAST(try_sum(CAST({quote(name)} AS DECIMAL(38, {kind.scale or 0}))) AS STRING)"


def decided_after(before: Decided, later: Sequence[Entry]) -> dict[tuple[str, str], Published]:
    """What the log says of the sinks after these entries."""
    decided = dict(before)
    for entry in later:
        decided.update({(one.insert, one.target): one for one in entry.published})
        for target in entry.removed:
            insert, _, place = target.partition("/")
            decided.pop((insert, place), None)
    return decided
