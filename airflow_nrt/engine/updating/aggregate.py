"""GROUP BY without a window: a partial for each group.

Without keys there is one group, which exists before any row has arrived: each batch has a partial of no rows for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.accumulator_layout import AccumulatorLayout, accumulator_layout
from airflow_nrt.engine.aggregates.group_merge import aggregate, merge_groups
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.updating.sides import added, changed
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.model.internal_columns import AFTER, ALIVE, KEY, POSITION, key_of
from airflow_nrt.model.updating import UpdatingAggregate
from airflow_nrt.model.value_places import in_group

_NOWHERE = f"named_struct('file', 0L, 'block', 0L, 'row', 0L) AS {POSITION}"
"""Rows that change have no place on arrival. Where order matters, their values decide."""


@dataclass(frozen=True)
class AggregateStep(Step):
    """An aggregate of rows that are only added: the state of a group is its partial."""

    operator: UpdatingAggregate

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.operator.keys)

    @property
    def columns(self) -> tuple[str, ...]:
        """The stored columns of a group."""
        return (*self.keys, *self._accumulators.columns)

    @property
    def needs_position(self) -> bool:
        return self._accumulators.order_sensitive

    def fresh(self, rows: DataFrame) -> DataFrame:
        """Rows of the input query as partials."""
        placed = _placed(rows).selectExpr(*self.keys, SLICE, *self._accumulators.lifted)
        # By the slice as well: without any column, no rows would be aggregated to one.
        partials = aggregate(placed, [*self.keys, SLICE, *self._accumulators.values], self._accumulators.of_rows)
        return partials.select(*self.columns) if self.keys else _and_one(partials.select(*self.columns), {})

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        """The partials of the touched groups, before and after the batch."""
        by = [AFTER, *self.keys, *self._accumulators.values]
        return aggregate(added(old, fresh), by, self._accumulators.of_rows)

    def kept(self, merged: DataFrame) -> DataFrame:
        """The state after the batch."""
        return merged.where(AFTER)

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        """The operator's result for the touched groups, before and after the batch."""
        accumulators = self._accumulators
        groups = merge_groups(accumulators, (AFTER, *self.keys), (), merged, tasks) if accumulators.sets else merged
        return _finished(accumulators, groups, self.keys)

    @cached_property
    def _accumulators(self) -> AccumulatorLayout:
        return accumulator_layout(self.operator.aggregates)


@dataclass(frozen=True)
class ChangingAggregateStep(Step):
    """An aggregate of rows that change themselves: the state of a group is its rows."""

    operator: UpdatingAggregate

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.operator.keys)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.operator.arguments, KEY, ALIVE)

    @property
    def needs_position(self) -> bool:
        return self.operator.input.reads_position

    def fresh(self, rows: DataFrame) -> DataFrame:
        fresh = rows.select(*self.keys, *self.operator.arguments, KEY, AFTER)
        return fresh if self.keys else _and_one(fresh, {AFTER: "true"})

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        return changed(old, fresh, self.keys)

    def kept(self, merged: DataFrame) -> DataFrame:
        return merged.where(AFTER)

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        accumulators, by = accumulator_layout(self.operator.aggregates), (AFTER, *self.keys)
        alive = merged.where(f"{ALIVE} AND {KEY} IS NOT NULL").selectExpr("*", _NOWHERE)
        lifted = _placed(alive).selectExpr(*by, *accumulators.lifted)
        if not self.keys:
            of_no_rows = merged.where(f"{KEY} IS NULL").select(AFTER)
            lifted = lifted.unionByName(of_no_rows, allowMissingColumns=True)
        return _finished(accumulators, merge_groups(accumulators, by, (), lifted, tasks), self.keys)


def _placed(rows: DataFrame) -> DataFrame:
    """The rows with one slice for all: aggregates by order of arrival order by slices first."""
    return rows.withColumn(SLICE, F.lit(0).cast("bigint"))


def _and_one(rows: DataFrame, columns: dict[str, str]) -> DataFrame:
    """The rows and one more, which is NULL in all but these columns. Merging it changes nothing."""
    one = rows.sparkSession.range(1).selectExpr(*(f"{sql} AS {name}" for name, sql in columns.items()))
    return rows.unionByName(one, allowMissingColumns=True)


def _finished(accumulators: AccumulatorLayout, merged: DataFrame, keys: tuple[str, ...]) -> DataFrame:
    """Merged accumulators to results. Errors name the group."""
    return merged.selectExpr(*keys, *accumulators.finished(in_group(keys)), AFTER, f"{key_of(keys)} AS {KEY}")
