"""Rows that wait until their sources have ended, and are emitted then.

The state is all rows, with the number of their batch. Of rows that change, those of the last batch count.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.compaction import Files, merge_full_level
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.execution import HeldState, UpdatingExecution
from airflow_nrt.home.log.position.state_kinds import NumberedRows
from airflow_nrt.model.internal_columns import AFTER, CHANGE_HIDDEN, KEY
from airflow_nrt.model.updating import RowsAtEnd


@dataclass(frozen=True)
class AtEnd(UpdatingExecution):
    operator: RowsAtEnd

    @property
    def needs_position(self) -> bool:
        return self.operator.changing and self.operator.input.reads_position

    def compute(self, rows: DataFrame, tasks: Tasks) -> DataFrame:
        """The rows that exist at the end."""
        standing = rows.where(AFTER) if self.operator.changing else rows
        return standing.select(*(quote(field.name) for field in self.operator.fields))

    def absorb(self, held: HeldState, rows: DataFrame) -> tuple[Files, DataFrame | None]:
        numbered = rows.selectExpr(*self._columns, f"{NumberedRows(held.files).following}L AS {SLICE}")
        file = held.store.write(self.operator.name, numbered).file
        return (held.files if file is None else self._compacted(held.store, (*held.files, file))), None

    def ended(self, held: HeldState) -> DataFrame | None:
        rows = held.store.read(held.files, self._stored)
        return None if rows is None else self.compute(self._newest(rows, held.files), held.store.tasks)

    @property
    def _columns(self) -> tuple[str, ...]:
        names = (quote(field.name) for field in self.operator.fields)
        return (*names, *CHANGE_HIDDEN) if self.operator.changing else tuple(names)

    @property
    def _stored(self) -> tuple[str, ...]:
        hidden = CHANGE_HIDDEN if self.operator.changing else ()
        return (*(field.name for field in self.operator.fields), *hidden, SLICE)

    def _newest(self, rows: DataFrame, files: Files) -> DataFrame:
        """Of each row what its last batch made of it."""
        if not self.operator.changing:
            return rows
        newest = rows.selectExpr("*", f"max({SLICE}) OVER (PARTITION BY {KEY}) AS _nrt_newest")
        return newest.where(f"{SLICE} = _nrt_newest").drop("_nrt_newest")

    def _compacted(self, store: SliceStore, files: Files) -> Files:
        return merge_full_level(store, self.operator.name, files, self._stored, self._newest)
