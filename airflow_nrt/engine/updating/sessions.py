"""SESSION over rows that change: the sessions that a batch touches are recomputed."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.query_frames import same
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.updating.sides import changed
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.engine.windows.session_merging import FIRST, LAST, islands
from airflow_nrt.model.internal_columns import AFTER, ALIVE, KEY, ROWTIME, WINDOW_END, WINDOW_START
from airflow_nrt.model.updating import UpdatingSessions


@dataclass(frozen=True)
class SessionsStep(Step):
    """The state is rows with the bounds of their session. The rows of a session are written, and expire, together."""

    operator: UpdatingSessions

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.operator.keys)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self._row, WINDOW_START, WINDOW_END, ALIVE)

    @property
    def needs_position(self) -> bool:
        return self.operator.input.reads_position

    @property
    def identity(self) -> tuple[str, ...]:
        return (*self.keys, KEY)

    def fresh(self, rows: DataFrame) -> DataFrame:
        return rows.select(*self._row, AFTER)

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        known = None if old is None else self._touched(old, fresh).select(*self._row, ALIVE)
        rows = changed(known, fresh, self.keys)
        return self._bounded(rows, [AFTER, ALIVE, *self.keys])

    def kept(self, merged: DataFrame) -> DataFrame:
        return merged.where(AFTER)

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        return merged.where(ALIVE).select(*(field.name for field in self.operator.fields), AFTER, KEY)

    @property
    def _row(self) -> tuple[str, ...]:
        return (*self.keys, *(field.name for field in self.operator.columns), ROWTIME, KEY)

    def _touched(self, old: DataFrame, fresh: DataFrame) -> DataFrame:
        """The rows of the sessions that fresh rows were in, or are in now. No other session can change."""
        reach = self._bounded(fresh.select(*self.keys, ROWTIME), self.keys)
        reach = reach.select(*self.keys, WINDOW_START, WINDOW_END).distinct()
        meet = F.expr(f"l.{WINDOW_START} <= r.{WINDOW_END} AND r.{WINDOW_START} <= l.{WINDOW_END}")
        return old.alias("l").join(reach.alias("r"), [*same(self.keys), meet], "left_semi")

    def _bounded(self, rows: DataFrame, by: tuple[str, ...] | list[str]) -> DataFrame:
        """The rows with the bounds of their session, among rows of equal `by`."""
        units = rows.selectExpr("*", f"{ROWTIME} AS {WINDOW_START}", f"{ROWTIME} + {self.operator.gap}L AS {SLICE}")
        return islands(units, by).drop(WINDOW_START, SLICE).withColumnsRenamed({FIRST: WINDOW_START, LAST: WINDOW_END})
