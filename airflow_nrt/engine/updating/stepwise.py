"""Operators that compare groups before and after each batch, by a `Step`."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.levels import Files
from airflow_nrt.engine.updating.execution import HeldState, UpdatingExecution
from airflow_nrt.engine.updating.groups import Groups
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.home.log.state_kinds import GroupVersions


@dataclass(frozen=True)
class Stepwise(UpdatingExecution):
    """`name` is the operator's, under which its state is stored."""

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
        # As in `CheckpointedFrames`; Spark releases them when nothing refers to them any more.
        merged = merged.localCheckpoint(eager=False)
        judged = step.judged(merged)
        return step.results(judged if judged is merged else judged.localCheckpoint(eager=False), tasks)

    def absorb(self, held: HeldState, rows: DataFrame) -> tuple[Files, DataFrame | None]:
        step, frames = self.step, held.frames
        groups = Groups(
            held.store,
            self.name,
            step.keys,
            step.columns,
            step.identity,
            GroupVersions(held.files),
            held.past,
            step.needed,
        )
        fresh = frames.computed(step.fresh(rows))
        together = frames.checkpointed(step.merged(groups.rows(step.touched(fresh)), fresh))
        judged = step.judged(together)
        merged = together if judged is together else frames.checkpointed(judged)
        return groups.written(step.kept(merged), held.clock).versions.files, step.results(merged, held.store.tasks)
