"""Throttled inserts: results that never complete, and are not published with each batch. Their changes wait.

The state is the changes of batches, each with the log entry after which it happened. Of a key that changed more than
once, only the difference between its first and its last row is emitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.sinks.changelog import changelog
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.compaction import full_level
from airflow_nrt.home.log.entries import Position, StateFile, Versions
from airflow_nrt.model.internal_columns import AFTER, KEY, OP
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.timing import Rows

_ALL = 0
"""Rows are counted by window. These results have one window, which never ends."""
WaitingFiles = Mapping[str, "StateFile | None"]
"""By insert, the file of the changes of a batch that wait; None if there are none."""
Changes = tuple[Insert, DataFrame]


@dataclass(frozen=True)
class ThrottledInserts:
    """The inserts of a plan whose changes wait for an interval of processing time, or for a number of rows."""

    store: SliceStore
    plan: Plan

    def hold(self, changes: Iterable[Changes]) -> tuple[list[Changes], WaitingFiles]:
        """Splits the changes of a batch into those to emit at once, and the files of those that wait."""
        at_once, waiting = [], {}
        for insert, frame in changes:
            if insert in self.plan.throttled:
                entries = frame.withColumnRenamed("_nrt_entry", SLICE)
                waiting[insert.name] = self.store.write(f"{insert.name}.held", entries).file
            else:
                at_once.append((insert, frame))
        return at_once, waiting

    def noted(
        self, versions: Mapping[str, Versions], waiting: WaitingFiles, row_counts: Mapping[str, int], clock: int
    ) -> dict[str, Versions]:
        """The state of the inserts after a batch with these waiting changes and numbers of rows, by source."""
        found = {}
        for insert in self.plan.throttled:
            before = versions.get(insert.name, Versions())
            file = waiting.get(insert.name)
            files = before.shown if file is None else self._merged(insert, (*before.shown, file))
            at = clock if before.at is None else before.at
            sources = self.plan.sources_of(insert.query)
            total = before.rows.get(_ALL, 0) + sum(count for name, count in row_counts.items() if name in sources)
            found[insert.name] = replace(before, at=at, rows={_ALL: total}, shown=files)
        return found

    def _merged(self, insert: Insert, files: tuple[StateFile, ...]) -> tuple[StateFile, ...]:
        """The same changes in fewer files, if there are too many."""
        full = full_level(files)
        rows = self.store.read(full, _columns(insert))
        if rows is None:
            return files
        merged = self.store.write(f"{insert.name}.held", rows).file
        assert merged is not None
        return (merged, *(file for file in files if file not in full))

    def due(self, position: Position, clock: int) -> list[Insert]:
        """The inserts whose changes are to be emitted now."""
        ended = bool(position.sources) and all(source.ended for source in position.sources.values())
        return [one for one in self.plan.throttled if self._is_due(one, position.versions.get(one.name), clock, ended)]

    def net(self, insert: Insert, position: Position, entry: int) -> DataFrame:
        """The net of all waiting changes, as a changelog after this log entry."""
        rows = self.store.read(position.versions[insert.name].shown, _columns(insert))
        assert rows is not None
        bounds = (f"{what}({SLICE}) OVER (PARTITION BY {KEY}) AS _nrt_{what}" for what in ("min", "max"))
        placed = rows.selectExpr("*", *bounds)
        before = placed.where(f"{SLICE} = _nrt_min AND {OP} IN ('-U', '-D')").withColumn(AFTER, F.lit(False))
        after = placed.where(f"{SLICE} = _nrt_max AND {OP} IN ('+I', '+U')").withColumn(AFTER, F.lit(True))
        return changelog(before.unionByName(after), insert.query.fields, entry)

    def emitted(self, versions: Mapping[str, Versions], inserts: list[Insert], clock: int) -> dict[str, Versions]:
        """The state of the inserts once the changes of these have been emitted."""
        return {**versions, **{insert.name: Versions(at=clock) for insert in inserts}}

    def _is_due(self, insert: Insert, versions: Versions | None, clock: int, ended: bool) -> bool:
        if versions is None or not versions.shown or versions.at is None:
            return False
        rate = insert.timing.update_rate
        if isinstance(rate, Rows):
            return ended or versions.rows.get(_ALL, 0) >= rate.count
        return ended or (rate is not None and clock >= versions.at + rate)


def _columns(insert: Insert) -> list[str]:
    return [*(field.name for field in insert.query.fields), OP, KEY, SLICE]
