"""The batch driver: the same operators, once over all rows of an interval, without state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import bigint
from airflow_nrt.engine.dimensions.views import provide_newest
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.engine.spark.tuning import Tasks, tune_for
from airflow_nrt.engine.time.accept_or_reject import accepted, judge, metered
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.engine.updating.execution_of import execution_of as execution_of_updating
from airflow_nrt.engine.updating.updates import together
from airflow_nrt.engine.windows.execution import execution_of
from airflow_nrt.engine.windows.firing_clock import fires_at
from airflow_nrt.engine.windows.layout_of import layout_of
from airflow_nrt.engine.windows.regroup import regroup
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.internal_columns import SEEN
from airflow_nrt.model.operators import Query
from airflow_nrt.model.plan import Insert, Plan

RowsOf = Callable[["str | None"], Mapping[str, DataFrame]]
"""By operator, the accepted rows of the sources as it absorbed them; None: as an insert without windows reads them."""


def same_rows(rows: Mapping[str, DataFrame]) -> RowsOf:
    """The same rows for all operators."""
    return lambda operator: rows


def insert_result(spark: SparkSession, plan: Plan, insert: Insert, splits: Mapping[str, Sequence[Split]]) -> DataFrame:
    """The rows of an insert over these splits, for all windows, with `_nrt_end`.

    `spark` is a session that the report has for this (`report_session`). It is tuned for the rows of these splits, and
    stays so, because the result is computed when it is read.
    """
    for lookup in plan.lookups:
        provide_newest(spark, lookup)
    for operator in plan.clocked:
        fires_at(spark, operator, None)
    tasks = tune_for(spark, [split for some in splits.values() for split in some])
    names = [source.name for source in plan.sources if source.name in splits]
    clock = now_ms()
    rows = {name: source_rows(spark, plan, name, splits[name], clock, tasks) for name in names}
    return computed(plan, insert, same_rows(rows), -END_OF_TIME, END_OF_TIME, tasks)


def computed(plan: Plan, insert: Insert, rows_of: RowsOf, after: int, until: int, tasks: Tasks) -> DataFrame:
    """The same for windows with `after < end <= until`, over accepted rows of the sources.

    Their `_nrt_seen` decides which are late for an operator.
    """
    batch = _Batch(plan, rows_of, tasks)
    return run_query(insert.query, batch.views(insert.query, after, until))


@dataclass(frozen=True)
class _Batch:
    plan: Plan
    rows_of: RowsOf
    tasks: Tasks

    def views(self, query: Query, after: int, until: int) -> dict[str, DataFrame]:
        """The inputs of a query: windows with `after < end <= until`, or rows of sources."""
        return {name: self._view(name, after, until) for name in query.inputs}

    def _view(self, name: str, after: int, until: int) -> DataFrame:
        plan, rows_of = self.plan, self.rows_of
        if any(source.name == name for source in plan.sources):
            return rows_of(None)[name]
        step = plan.regroup(name)
        if step is not None:
            return regroup(step, self.views(step.input, after, until), self.tasks)
        updating = next((one for one in plan.updating if one.name == name), None)
        if updating is not None:
            parts = [run_query(query, self.views(query, after, until)) for query in updating.inputs]
            return execution_of_updating(updating).compute(together(parts), self.tasks)
        operator = plan.operator(name)
        layout = layout_of(operator)
        compute = execution_of(layout).compute
        if operator.sources:
            return compute(layout, rows_of(name), after, until, self.tasks)
        window = operator.window
        first_row = window.earliest_row(window.grid.after(after))
        views = self.views(operator.input, first_row, window.rows_until(until))
        return compute(layout, views, after, until, self.tasks)


def source_rows(
    spark: SparkSession, plan: Plan, name: str, splits: Sequence[Split], clock: int | None, tasks: Tasks
) -> DataFrame:
    """The accepted rows of these splits, as if absorbed in one batch at this time (ms), so that none is late."""
    source = plan.source(name).strict
    numbers = {split.name: n for n, split in enumerate(splits)} if needs_position(plan, name) else None
    rows = source_of(source.table).read(spark, source, ReadRequest(splits, tasks, numbers, source.partitions))
    judged, _ = metered(judge(rows, source, None, absorbed(clock, None)))
    return accepted(judged, source, f"{bigint(None)} AS {SEEN}")


def needs_position(plan: Plan, source: str) -> bool:
    """Whether a result depends on the places on arrival of rows of this source."""
    windowed = any(layout_of(operator).needs_position for operator in plan.readers(source))
    return windowed or any(execution_of_updating(operator).needs_position for operator in plan.updated_by(source))
