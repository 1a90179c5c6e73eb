"""The kinds of updating operators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airflow_nrt.engine.updating.aggregate import AggregateStep, ChangingAggregateStep
from airflow_nrt.engine.updating.at_end import AtEnd
from airflow_nrt.engine.updating.execution import UpdatingExecution
from airflow_nrt.engine.updating.join import JoinStep
from airflow_nrt.engine.updating.recent import Recent
from airflow_nrt.engine.updating.rows import RowsStep
from airflow_nrt.engine.updating.sessions import SessionsStep
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.engine.updating.stepwise import Stepwise
from airflow_nrt.model.updating import (
    RecentRows,
    RowsAtEnd,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)


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
