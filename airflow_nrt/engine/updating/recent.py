"""Rows of the last hour: which of them come and go as the watermark moves on.

State are the rows that have not left, each written once; `first` and `last` of a file are rowtimes, so that what has
left is forgotten by whole files, and only files are read in which rows come or go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.windows.compaction import full_level
from airflow_nrt.home.log.entries import Position, StateFile
from airflow_nrt.model.hidden import AFTER, KEY, key_of
from airflow_nrt.model.updating import RecentRows, Updating

_ALL = "_nrt_now"


def recent(operator: RecentRows, rows: DataFrame) -> DataFrame:
    """The rows of the batch: those that are there when all have come."""
    now = rows.agg(F.expr("max(greatest(t, w))").alias(_ALL))
    there = rows.join(F.broadcast(now), F.expr(f"t BETWEEN {_ALL} - {operator.span}L AND {_ALL}"))
    return _told(operator, there.withColumn(AFTER, F.lit(True)))


def moments_due(operators: Iterable[Updating], position: Position) -> dict[str, int]:
    """The watermarks (ms) that those of them which are over recent rows do not stand at yet, by name."""
    found: dict[str, int] = {}
    for operator in operators:
        if isinstance(operator, RecentRows):
            state, files = position.sources[operator.source], position.updating[operator.name]
            known = [state.watermark, *(file.last for file in files if state.ended)]
            latest = max((at for at in known if at is not None), default=None)
            if latest is not None and latest > position.moments.get(operator.name, -END_OF_TIME):
                found[operator.name] = latest
    return found


@dataclass(frozen=True)
class Recent:
    """The state of one such operator. `moment` is the watermark (ms) that it stands at, None before there is any."""

    store: SliceStore
    operator: RecentRows
    files: tuple[StateFile, ...]
    moment: int | None

    def absorb(self, rows: DataFrame) -> tuple[tuple[StateFile, ...], DataFrame]:
        """The state with fresh rows, and those of them that are there at this moment."""
        oldest = None if self.moment is None else self.moment - self.operator.span
        kept = rows if oldest is None else rows.where(f"t >= {oldest}L")
        file = self.store.write(self.operator.name, kept.selectExpr(*self._names, f"t AS {SLICE}")).file
        there = "false" if oldest is None else f"t BETWEEN {oldest}L AND {self.moment}L"
        files = self.files if file is None else (*self.files, file)
        return files, _told(self.operator, rows.where(there).withColumn(AFTER, F.lit(True)))

    def moved(self, to: int) -> tuple[tuple[StateFile, ...], DataFrame | None]:
        """The state once the watermark is `to`, and the rows that come and go by that; None if there can be none."""
        was, span = self.moment, self.operator.span
        spans = [(to - span, to)] if was is None else [(was - span, to - span - 1), (was + 1, to)]
        read = [one for one in self.files if any(one.first <= b and one.last >= a for a, b in spans)]
        rows = self.store.read(read, [*self._names, SLICE])
        left = tuple(file for file in self.files if file.last >= to - span)
        if rows is None:
            return left, None
        before = "false" if was is None else f"{SLICE} BETWEEN {was - span}L AND {was}L"
        sides = rows.selectExpr("*", f"{SLICE} BETWEEN {to - span}L AND {to}L AS {AFTER}", f"{before} AS _nrt_before")
        told = _told(self.operator, sides.where(f"{AFTER} <> _nrt_before").withColumnRenamed(SLICE, "t"))
        return self._compacted(left, to - span), told

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.operator.fields)

    def _compacted(self, files: tuple[StateFile, ...], oldest: int) -> tuple[StateFile, ...]:
        full = full_level(files)
        rows = self.store.read(full, [*self._names, SLICE])
        if rows is None:
            return files
        merged = self.store.write(self.operator.name, rows.where(f"{SLICE} >= {oldest}L")).file
        rest = tuple(file for file in files if file not in full)
        return rest if merged is None else (merged, *rest)


def _told(operator: RecentRows, rows: DataFrame) -> DataFrame:
    """A row is known by where it stood on arrival, and by its time: a line may be two changes."""
    names = [field.name for field in operator.fields]
    ops = [name for name in names if name.startswith("_nrt_")]
    return rows.selectExpr(*names, AFTER, f"{key_of(['p', 't', *ops])} AS {KEY}")
