"""The waiting changes of throttled inserts (`home/log/position/throttle.py`): held back, and emitted as their net.

The state is the changes of batches, each with the log entry after which it happened. Of a key that changed more than
once, only the difference between its first and its last row is emitted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.sinks.changelog import changelog
from airflow_nrt.engine.state.compaction import as_they_are, merge_full_level
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import Position
from airflow_nrt.home.log.position.throttle import Waiting
from airflow_nrt.model.internal_columns import AFTER, KEY, OP
from airflow_nrt.model.plan import Insert, Plan

Changes = tuple[Insert, DataFrame]


@dataclass(frozen=True)
class ThrottledInserts:
    """The inserts of a plan whose changes wait for an interval of processing time, or for a number of rows."""

    store: SliceStore
    plan: Plan

    def hold(self, changes: Iterable[Changes], waiting: Waiting) -> tuple[list[Changes], Waiting]:
        """Splits the changes of a batch into those to emit at once, and the files of those that wait, after these."""
        at_once, held = [], {**waiting}
        for insert, frame in changes:
            if insert not in self.plan.throttled:
                at_once.append((insert, frame))
                continue
            state = f"{insert.name}.held"
            file = self.store.write(state, frame.withColumnRenamed("_nrt_entry", SLICE)).file
            if file is not None:
                files = (*waiting[insert.name], file)
                held[insert.name] = merge_full_level(self.store, state, files, _columns(insert), as_they_are)
        return at_once, held

    def net(self, insert: Insert, position: Position, entry: int) -> DataFrame:
        """The net of all waiting changes, as a changelog after this log entry."""
        rows = self.store.read(position.versions[insert.name].shown, _columns(insert))
        assert rows is not None
        bounds = (f"{what}({SLICE}) OVER (PARTITION BY {KEY}) AS _nrt_{what}" for what in ("min", "max"))
        placed = rows.selectExpr("*", *bounds)
        before = placed.where(f"{SLICE} = _nrt_min AND {OP} IN ('-U', '-D')").withColumn(AFTER, F.lit(False))
        after = placed.where(f"{SLICE} = _nrt_max AND {OP} IN ('+I', '+U')").withColumn(AFTER, F.lit(True))
        return changelog(before.unionByName(after), insert.query.fields, entry)


def _columns(insert: Insert) -> list[str]:
    return [*(field.name for field in insert.query.fields), OP, KEY, SLICE]
