"""Rows of the last hour: they come and go as the watermark advances.

The state is the rows that have not left, each written once (`RowsByTime`). So a file whose rows have all left is
dropped, and only files are read in which rows come or go.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.compaction import Files, merge_full_level
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.execution import HeldState, UpdatingExecution
from airflow_nrt.home.log.position.state_kinds import RowsByTime
from airflow_nrt.model.internal_columns import AFTER, KEY, key_of
from airflow_nrt.model.updating import RecentRows

_ALL = "_nrt_now"


@dataclass(frozen=True)
class Recent(UpdatingExecution):
    operator: RecentRows

    @property
    def needs_position(self) -> bool:
        return True

    def compute(self, rows: DataFrame, tasks: Tasks) -> DataFrame:
        """The recent rows once all rows have arrived."""
        now = rows.agg(F.expr("max(greatest(t, w))").alias(_ALL))
        there = rows.join(F.broadcast(now), F.expr(f"t BETWEEN {_ALL} - {self.operator.span}L AND {_ALL}"))
        return self._changes(there.withColumn(AFTER, F.lit(True)))

    def absorb(self, held: HeldState, rows: DataFrame) -> tuple[Files, DataFrame | None]:
        # Spark fills an observation only if it sees it in the plan of the job: not inside the text of a query.
        fresh = held.frames.computed(rows.select("*"))
        moment = held.moment
        oldest = None if moment is None else moment - self.operator.span
        kept = fresh if oldest is None else fresh.where(f"t >= {oldest}L")
        file = held.store.write(self.operator.name, kept.selectExpr(*self._names, f"t AS {SLICE}")).file
        there = "false" if oldest is None else f"t BETWEEN {oldest}L AND {moment}L"
        files = held.files if file is None else (*held.files, file)
        return files, self._changes(fresh.where(there).withColumn(AFTER, F.lit(True)))

    def moved(self, held: HeldState, to: int) -> tuple[Files, DataFrame] | None:
        was, span = held.moment, self.operator.span
        spans = [(to - span, to)] if was is None else [(was - span, to - span - 1), (was + 1, to)]
        files = RowsByTime(held.files)
        rows = held.store.read(files.within(spans).files, [*self._names, SLICE])
        if rows is None:
            return None
        before = "false" if was is None else f"{SLICE} BETWEEN {was - span}L AND {was}L"
        sides = rows.selectExpr("*", f"{SLICE} BETWEEN {to - span}L AND {to}L AS {AFTER}", f"{before} AS _nrt_before")
        changes = self._changes(sides.where(f"{AFTER} <> _nrt_before").withColumnRenamed(SLICE, "t"))
        kept = files.since(to - span).files
        return self._compacted(held.store, kept, to - span), held.frames.checkpointed(changes)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.operator.fields)

    def _compacted(self, store: SliceStore, files: Files, oldest: int) -> Files:
        def not_left(rows: DataFrame, full: Files) -> DataFrame:
            return rows.where(f"{SLICE} >= {oldest}L")

        return merge_full_level(store, self.operator.name, files, (*self._names, SLICE), not_left)

    def _changes(self, rows: DataFrame) -> DataFrame:
        """The result's columns. Place on arrival and time identify a row, because a line may be two changes."""
        ops = [name for name in self._names if name.startswith("_nrt_")]
        return rows.selectExpr(*self._names, AFTER, f"{key_of(['p', 't', *ops])} AS {KEY}")
