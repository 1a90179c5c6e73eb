"""Results that never complete and are not to change with each batch: their changes wait, and are told as one.

State are the changes as batches made them, each with the log entry that it stands behind. Of a key that changed more
than once, only how it stood first and how it stands last is told.
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
"""These results are of one window, which has no end."""
Held = Mapping[str, "StateFile | None"]
Changes = tuple[Insert, DataFrame]


@dataclass(frozen=True)
class RatedInserts:
    """The inserts of a plan whose changes wait for an interval of processing time, or for so many rows."""

    store: SliceStore
    plan: Plan

    def hold(self, changes: Iterable[Changes]) -> tuple[list[Changes], Held]:
        """The changes that a batch makes: those to tell at once, and the files of those that it keeps."""
        told, held = [], {}
        for insert, frame in changes:
            if insert in self.plan.throttled:
                entries = frame.withColumnRenamed("_nrt_entry", SLICE)
                held[insert.name] = self.store.write(f"{insert.name}.held", entries).file
            else:
                told.append((insert, frame))
        return told, held

    def noted(
        self, versions: Mapping[str, Versions], held: Held, came: Mapping[str, int], clock: int
    ) -> dict[str, Versions]:
        """What is to be remembered once a batch of so many rows, by source, has held these changes."""
        found = {}
        for insert in self.plan.throttled:
            before = versions.get(insert.name, Versions())
            file = held.get(insert.name)
            files = before.shown if file is None else self._merged(insert, (*before.shown, file))
            at = clock if before.at is None else before.at
            sources = self.plan.sources_of(insert.query)
            rows = before.rows.get(_ALL, 0) + sum(count for name, count in came.items() if name in sources)
            found[insert.name] = replace(before, at=at, rows={_ALL: rows}, shown=files)
        return found

    def _merged(self, insert: Insert, files: tuple[StateFile, ...]) -> tuple[StateFile, ...]:
        """The same changes in fewer files, where too many wait."""
        full = full_level(files)
        rows = self.store.read(full, _columns(insert))
        if rows is None:
            return files
        merged = self.store.write(f"{insert.name}.held", rows).file
        assert merged is not None
        return (merged, *(file for file in files if file not in full))

    def due(self, position: Position, clock: int) -> list[Insert]:
        """The inserts whose changes are to be told now."""
        ended = bool(position.sources) and all(source.ended for source in position.sources.values())
        return [one for one in self.plan.throttled if self._is_due(one, position.versions.get(one.name), clock, ended)]

    def net(self, insert: Insert, position: Position, entry: int) -> DataFrame:
        """What all that waits has changed."""
        rows = self.store.read(position.versions[insert.name].shown, _columns(insert))
        assert rows is not None
        bounds = (f"{what}({SLICE}) OVER (PARTITION BY {KEY}) AS _nrt_{what}" for what in ("min", "max"))
        placed = rows.selectExpr("*", *bounds)
        before = placed.where(f"{SLICE} = _nrt_min AND {OP} IN ('-U', '-D')").withColumn(AFTER, F.lit(False))
        behind = placed.where(f"{SLICE} = _nrt_max AND {OP} IN ('+I', '+U')").withColumn(AFTER, F.lit(True))
        return changelog(before.unionByName(behind), insert.query.fields, entry)

    def told(self, versions: Mapping[str, Versions], inserts: list[Insert], clock: int) -> dict[str, Versions]:
        """What is to be remembered once the changes of these have been told."""
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
