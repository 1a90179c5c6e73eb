"""Columns over all rows of a partition so far: they are recomputed for the partitions that a batch touches."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.engine.aggregates.accumulator_layout import accumulator_layout, names
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.updating.sides import added, changed
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.model.internal_columns import AFTER, ALIVE, KEY
from airflow_nrt.model.updating import UpdatingRows

_PLACE = "'of a row of OVER'"


@dataclass(frozen=True)
class RowsStep(Step):
    """The state of a partition is those of its rows that can still be in a result."""

    operator: UpdatingRows

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.operator.keys)

    @property
    def columns(self) -> tuple[str, ...]:
        identity = (KEY, ALIVE) if self.operator.changing else ("p",)
        return (*self.keys, *(field.name for field in self.operator.columns), *identity)

    @property
    def needs_position(self) -> bool:
        return self.operator.input.reads_position

    def fresh(self, rows: DataFrame) -> DataFrame:
        names = [name for name in self.columns if name != ALIVE]
        return rows.select(*names, *([AFTER] if self.operator.changing else []))

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        operator = self.operator
        rows = changed(old, fresh, self.keys) if operator.changing else added(old, fresh)
        made = rows.selectExpr("*", *(f"{sql} AS {field.name}" for field, sql in operator.computed))
        if operator.limit is None:
            return made
        return made.where(f"{operator.computed[0][0].name} <= {operator.limit}")

    def kept(self, merged: DataFrame) -> DataFrame:
        return merged.where(AFTER)

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        operator = self.operator
        alive = merged.where(ALIVE) if operator.changing else merged
        names = [field.name for field in operator.fields]
        return _with_framed(operator, alive).selectExpr(*names, AFTER, f"{operator.identity} AS {KEY}")


def _with_framed(operator: UpdatingRows, rows: DataFrame) -> DataFrame:
    """The rows with the results of the operator's framed calls, with the accumulators of windows."""
    for over in dict.fromkeys(one.over for one in operator.framed):
        calls = tuple(one.call for one in operator.framed if one.over == over)
        accumulators = accumulator_layout(calls)
        lifted = rows.selectExpr("*", *(one.lifted for one in accumulators.of_rows))
        others = [name for name in lifted.columns if name not in names(accumulators.of_rows)]
        merged = lifted.selectExpr(*others, *(one.merged(over) for one in accumulators.of_rows))
        rows = merged.selectExpr(*others, *accumulators.finished(_PLACE))
    return rows
