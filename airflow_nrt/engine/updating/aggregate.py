"""GROUP BY without a window: a partial for each group, as for one slice that never ends.

Without keys there is one group, which exists before any row has arrived: each batch has a partial of no rows for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.types import BOOLEAN, Field
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.state.columns import SLICE
from airflow_nrt.engine.updating.all_time import layout_of_all_time
from airflow_nrt.engine.updating.sides import added, changed
from airflow_nrt.engine.updating.step import Step
from airflow_nrt.engine.windows.layout import Layout
from airflow_nrt.engine.windows.partials import combine
from airflow_nrt.engine.windows.slice_merge import close
from airflow_nrt.model.internal_columns import AFTER, ALIVE, KEY, POSITION, key_of
from airflow_nrt.model.updating import UpdatingAggregate

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
        layout = self._layout
        return (*self.keys, *(name for name, _ in layout.values), *(one.name for one in layout.row_accumulators))

    @property
    def needs_position(self) -> bool:
        return self._layout.needs_position

    def fresh(self, rows: DataFrame) -> DataFrame:
        """Rows of the input query as partials."""
        partials = combine(self._layout, _lifted(self._layout, rows)).select(*self.columns)
        return partials if self.keys else _and_one(partials, {})

    def merged(self, old: DataFrame | None, fresh: DataFrame) -> DataFrame:
        """The partials of the touched groups, before and after the batch."""
        both = combine(self._sides, added(old, fresh).withColumn(SLICE, F.lit(0).cast("bigint")))
        return both.select(AFTER, *self.columns)

    def kept(self, merged: DataFrame) -> DataFrame:
        """The state after the batch."""
        return merged.where(AFTER)

    def results(self, merged: DataFrame, tasks: Tasks) -> DataFrame:
        """The operator's result for the touched groups, before and after the batch."""
        if not self._sides.sets:
            return _finished(self._sides, merged, self.keys)
        partials = merged.withColumn(SLICE, F.lit(0).cast("bigint"))
        return _finished(self._sides, close(self._sides, partials, None, tasks), self.keys)

    @cached_property
    def _layout(self) -> Layout:
        return _layout(self.operator, self.operator.keys)

    @cached_property
    def _sides(self) -> Layout:
        return _layout(self.operator, (Field(AFTER, BOOLEAN), *self.operator.keys))


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
        layout = _layout(self.operator, (Field(AFTER, BOOLEAN), *self.operator.keys))
        lifted = _lifted(layout, merged.where(f"{ALIVE} AND {KEY} IS NOT NULL").selectExpr("*", _NOWHERE))
        if not self.keys:
            of_no_rows = merged.where(f"{KEY} IS NULL").selectExpr(AFTER, f"0L AS {SLICE}")
            lifted = lifted.unionByName(of_no_rows, allowMissingColumns=True)
        return _finished(layout, close(layout, lifted, None, tasks), self.keys)


def _layout(operator: UpdatingAggregate, keys: tuple[Field, ...]) -> Layout:
    return layout_of_all_time(operator, keys, operator.aggregates)


def _lifted(layout: Layout, rows: DataFrame) -> DataFrame:
    values = [f"{sql} AS {name}" for name, sql in layout.values]
    in_time = rows.withColumn(SLICE, F.lit(0).cast("bigint"))
    return in_time.selectExpr(*layout.keys, SLICE, *values, *(one.lifted for one in layout.row_accumulators))


def _and_one(rows: DataFrame, columns: dict[str, str]) -> DataFrame:
    """The rows and one more, which is NULL in all but these columns. Merging it changes nothing."""
    one = rows.sparkSession.range(1).selectExpr(*(f"{sql} AS {name}" for name, sql in columns.items()))
    return rows.unionByName(one, allowMissingColumns=True)


def _finished(layout: Layout, merged: DataFrame, keys: tuple[str, ...]) -> DataFrame:
    """Merged accumulators to results. `{place}` in their SQL becomes the group, for errors."""
    texts = ", ".join(f"coalesce(CAST({key} AS STRING), 'NULL')" for key in keys)
    place = f"concat('in the group (', concat_ws(', ', {texts}), ')')" if keys else "'over all rows'"
    aggregates = [f"{sql.replace('{place}', place)} AS {name}" for name, sql in layout.results]
    return merged.selectExpr(*keys, *aggregates, AFTER, f"{key_of(keys)} AS {KEY}")
