"""What one batch, or one firing, does to the updating operators of a plan, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.frames import run_query
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.engine.updating.aggregate import AggregateStep, ChangingAggregateStep
from airflow_nrt.engine.updating.changelog import changelog
from airflow_nrt.engine.updating.groups import Groups
from airflow_nrt.engine.updating.rows import RowsStep
from airflow_nrt.report.entries import StateFile
from airflow_nrt.report.options import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.report.plan import AFTER, KEY, Insert, Plan, Updating, UpdatingAggregate


class Step(Protocol):
    """One kind of updating operator: what is kept of rows, how it is merged, what it results in."""

    @property
    def keys(self) -> tuple[str, ...]: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def needs_position(self) -> bool: ...
    def fresh(self, rows: DataFrame) -> DataFrame: ...
    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame: ...
    def kept(self, merged: DataFrame) -> DataFrame: ...
    def results(self, merged: DataFrame) -> DataFrame: ...


def step_of(operator: Updating) -> Step:
    """How this operator works."""
    if not isinstance(operator, UpdatingAggregate):
        return RowsStep(operator)
    return ChangingAggregateStep(operator) if operator.changing else AggregateStep(operator)


def compute(operator: Updating, rows: DataFrame) -> DataFrame:
    """The operator's whole result, all of it `_nrt_after`, from all rows at once: the batch."""
    step = step_of(operator)
    return step.results(step.merged(None, step.fresh(rows)))


class Updates:
    """Absorbs the rows of one batch; what changed by it is computed when it is read.

    `files` is the state before and, once something was absorbed, the state behind. `clock` is the processing time (ms).
    """

    def __init__(self, store: SliceStore, plan: Plan, files: Mapping[str, tuple[StateFile, ...]], clock: int) -> None:
        self.store = store
        self.plan = plan
        self.files = dict(files)
        self.clock = clock
        self._changed: dict[str, DataFrame] = {}
        self._held: list[DataFrame] = []

    def absorb(self, rows: Mapping[str, DataFrame]) -> None:
        """Takes in rows by the operator whose input query gave them, then what that changes in operators above."""
        for operator in self.plan.updating:
            if operator.name in rows:
                self._absorb(operator, rows[operator.name])
            elif any(name in self._changed for name in operator.input.inputs):
                self._absorb(operator, run_query(operator.input, self._views(operator.input.inputs)))

    def changes(self, entry: int) -> list[tuple[Insert, DataFrame]]:
        """The inserts that have something to publish, each with its changelog behind this log entry."""
        return [
            (insert, changelog(run_query(insert.query, self._views(insert.query.inputs)), insert.query.fields, entry))
            for insert in self.plan.inserts
            if insert.changes and any(name in self._changed for name in insert.query.inputs)
        ]

    def close(self) -> None:
        """Lets go of what was kept for several readers."""
        for frame in self._held:
            frame.unpersist()

    def _absorb(self, operator: Updating, rows: DataFrame) -> None:
        step = step_of(operator)
        known = self.files.get(operator.name, ())
        groups = Groups(self.store, operator.name, step.keys, step.columns, known, self._forgotten())
        fresh = self._hold(step.fresh(rows))
        merged = self._hold(step.merged(groups.rows(fresh), fresh))
        self.files[operator.name] = groups.written(step.kept(merged), self.clock).files
        self._changed[operator.name] = step.results(merged)

    def _forgotten(self) -> int | None:
        ttl = read_option(dict(self.plan.settings), REPORT_OPTIONS, STATE_TTL)
        return self.clock - ttl if ttl else None

    def _hold(self, frame: DataFrame) -> DataFrame:
        self._held.append(frame.persist())
        return self._held[-1]

    def _views(self, names: tuple[str, ...]) -> dict[str, DataFrame]:
        untouched = [one for one in self.plan.updating if one.name in names and one.name not in self._changed]
        return {**self._changed, **{one.name: nothing(self.store.spark, one) for one in untouched}}


def nothing(spark: SparkSession, operator: Updating) -> DataFrame:
    """The result of an operator that no row has touched."""
    if isinstance(operator, UpdatingAggregate):
        fields = [(field.name, field.type) for field in operator.keys]
        fields += [(call.name, call.type) for call in operator.aggregates]
    else:
        fields = [(field.name, field.type) for field in (*operator.columns, *(field for field, _ in operator.computed))]
    columns = [f"{name} {kind.spark}" for name, kind in fields]
    return spark.createDataFrame([], ", ".join([*columns, f"{AFTER} BOOLEAN", f"{KEY} STRING"]))
