"""Operators that work batch by batch: groups as they stood and as they stand, by a `Step`."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.updating.groups import Groups
from airflow_nrt.engine.updating.kind import Files, Kind, Standing
from airflow_nrt.engine.updating.step import Step


@dataclass(frozen=True)
class Stepwise(Kind):
    """`name` is that of the operator, under which its state stands."""

    name: str
    step: Step

    @property
    def needs_position(self) -> bool:
        return self.step.needs_position

    def compute(self, rows: DataFrame, tasks: Tasks) -> DataFrame:
        step = self.step
        merged = step.merged(None, step.fresh(rows))
        if not step.reads_again:
            return step.results(step.judged(merged), tasks)
        # As in `Held`; Spark lets go of them when nobody can read them any more.
        merged = merged.localCheckpoint(eager=False)
        judged = step.judged(merged)
        return step.results(judged if judged is merged else judged.localCheckpoint(eager=False), tasks)

    def absorb(self, standing: Standing, rows: DataFrame) -> tuple[Files, DataFrame | None]:
        step, held = self.step, standing.held
        groups = Groups(
            standing.store,
            self.name,
            step.keys,
            step.columns,
            step.identity,
            standing.files,
            standing.past,
            step.needed,
        )
        fresh = held.compute(step.fresh(rows))
        together = held.hold(step.merged(groups.rows(step.touched(fresh)), fresh))
        judged = step.judged(together)
        merged = together if judged is together else held.hold(judged)
        return groups.written(step.kept(merged), standing.clock).files, step.results(merged, standing.store.tasks)
