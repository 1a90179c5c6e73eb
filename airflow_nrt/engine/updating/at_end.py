"""Rows that wait until their sources have ended, and then come as they stand.

State are all of them, those of each batch under a number of its own: of rows that change, the last one counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.compaction import full_level
from airflow_nrt.home.log.entries import Position, StateFile
from airflow_nrt.model.hidden import AFTER, CHANGE_HIDDEN, KEY
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import RowsAtEnd


def at_end(operator: RowsAtEnd, rows: DataFrame) -> DataFrame:
    """The rows that stand there in the end: the batch."""
    standing = rows.where(AFTER) if operator.changing else rows
    return standing.select(*(quote(field.name) for field in operator.fields))


def check_open(plan: Plan, position: Position, source: str) -> None:
    """Raises InputError if rows of this source have waited for the end, and it was: there is no place for more."""
    waiting = [plan.sources_of(one.input) for one in plan.updating if isinstance(one, RowsAtEnd)]
    if any(source in below and all(position.sources[name].ended for name in below) for below in waiting):
        raise InputError(
            f"source {source!r} has ended, and its rows are published in their order, where files that have come since "
            "have no place: take them away, or run the report into a new home and a new directory"
        )


@dataclass(frozen=True)
class AtEnd:
    """The state of one such operator."""

    store: SliceStore
    operator: RowsAtEnd
    files: tuple[StateFile, ...]

    def absorb(self, rows: DataFrame) -> tuple[StateFile, ...]:
        """The state with the rows of a batch."""
        number = 1 + max((file.last for file in self.files), default=0)
        file = self.store.write(self.operator.name, rows.selectExpr(*self._columns, f"{number}L AS {SLICE}")).file
        return self.files if file is None else self._compacted((*self.files, file))

    def rows(self) -> DataFrame | None:
        """The rows that stand there in the end; None if there were none."""
        rows = self._read(self.files)
        return None if rows is None else at_end(self.operator, rows)

    @property
    def _columns(self) -> tuple[str, ...]:
        names = (quote(field.name) for field in self.operator.fields)
        return (*names, *CHANGE_HIDDEN) if self.operator.changing else tuple(names)

    def _read(self, files: tuple[StateFile, ...]) -> DataFrame | None:
        hidden = CHANGE_HIDDEN if self.operator.changing else ()
        rows = self.store.read(files, [*(field.name for field in self.operator.fields), *hidden, SLICE])
        if rows is None or not self.operator.changing:
            return rows
        newest = rows.selectExpr("*", f"max({SLICE}) OVER (PARTITION BY {KEY}) AS _nrt_newest")
        return newest.where(f"{SLICE} = _nrt_newest").drop("_nrt_newest")

    def _compacted(self, files: tuple[StateFile, ...]) -> tuple[StateFile, ...]:
        full = tuple(full_level(files))
        rows = self._read(full)
        if rows is None:
            return files
        merged = self.store.write(self.operator.name, rows).file
        rest = tuple(file for file in files if file not in full)
        return rest if merged is None else (merged, *rest)
