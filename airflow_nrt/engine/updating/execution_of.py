"""How an updating operator is executed: most by a `Step`, which compares groups before and after each batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.compaction import Files
from airflow_nrt.engine.updating.aggregate import AggregateStep, ChangingAggregateStep
from airflow_nrt.engine.updating.at_end import AtEnd
from airflow_nrt.engine.updating.execution import HeldState, UpdatingExecution
from airflow_nrt.engine.updating.groups import Groups
from airflow_nrt.engine.updating.join import JoinStep
from airflow_nrt.engine.updating.recent import Recent
from airflow_nrt.engine.updating.rows import RowsStep
from airflow_nrt.engine.updating.sessions import SessionsStep
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.home.log.position.state_kinds import GroupVersions
from airflow_nrt.model.updating import (
    RecentRows,
    RowsAtEnd,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)


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


def _aggregate(operator: UpdatingAggregate) -> Step:
    return ChangingAggregateStep(operator) if operator.changing else AggregateStep(operator)


_STEPS: Mapping[type[Updating], Callable[[Any], Step]] = {
    UpdatingAggregate: _aggregate,
    UpdatingJoin: JoinStep,
    UpdatingRows: RowsStep,
    UpdatingSessions: SessionsStep,
}
_OTHERS: Mapping[type[Updating], Callable[[Any], UpdatingExecution]] = {RecentRows: Recent, RowsAtEnd: AtEnd}


def execution_of(operator: Updating) -> UpdatingExecution:
    """The implementation of this operator."""
    other = _OTHERS.get(type(operator))
    return other(operator) if other is not None else Stepwise(operator.name, _STEPS[type(operator)](operator))
