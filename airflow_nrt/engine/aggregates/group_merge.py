"""Merging partials by GROUP BY: those of rows, and those of distinct values, each of which counts once in its group."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as F

from airflow_nrt.engine.aggregates.accumulator_layout import AccumulatorLayout, names
from airflow_nrt.engine.aggregates.accumulators import Accumulator
from airflow_nrt.engine.aggregates.distinct_sets import DistinctSet
from airflow_nrt.engine.spark.tuning import Tasks


def aggregate(partials: DataFrame, by: Sequence[str], columns: Sequence[Accumulator]) -> DataFrame:
    """GROUP BY with merged accumulators, after the columns of the group."""
    if not columns:
        return partials.select(*by).distinct()
    return partials.groupBy(*by).agg(*(F.expr(one.merged()) for one in columns))


def merge_groups(
    accumulators: AccumulatorLayout, keys: Sequence[str], slots: Sequence[str], rows: DataFrame, tasks: Tasks
) -> DataFrame:
    """Merges partials of rows to one for each key and slot: the keys, the slots, all accumulators.

    All rows of a group are here, so a value counts in it once. Groups of equal keys are computed in one task.
    """
    by = [*keys, *slots]
    if not accumulators.sets:
        return aggregate(rows, by, accumulators.of_rows)
    rows = exchanged(keys, rows, tasks)
    if len(accumulators.sets) == 1 and not accumulators.needs_python:
        return _by_value(accumulators, accumulators.sets[0], by, rows)
    parts = [padded(accumulators, by, aggregate(rows, by, accumulators.of_rows))]
    for group in accumulators.sets:
        values = rows.where(f"{group.column} IS NOT NULL").select(*by, group.column).distinct()
        lifted = values.selectExpr(*by, *(one.lifted for one in group.accumulators))
        parts.append(padded(accumulators, by, aggregate(lifted, by, group.accumulators)))
    return aggregate(reduce(DataFrame.unionAll, parts), by, accumulators.all)


def _by_value(accumulators: AccumulatorLayout, group: DistinctSet, by: Sequence[str], rows: DataFrame) -> DataFrame:
    """The same of one set: by value first, then by group, so that rows are read once."""
    of_value = aggregate(rows, [*by, group.column], accumulators.of_rows)
    counted = of_value.selectExpr(*by, *names(accumulators.of_rows), *(one.lifted for one in group.accumulators))
    return aggregate(counted, by, accumulators.all)


def padded(accumulators: AccumulatorLayout, by: Sequence[str], part: DataFrame) -> DataFrame:
    """The part with the columns of its group, and NULL in the accumulators that it does not have."""
    have = set(part.columns)
    columns = [one.name if one.name in have else f"CAST(NULL AS {one.type}) AS {one.name}" for one in accumulators.all]
    return part.selectExpr(*by, *columns)


def exchanged(keys: Sequence[str], rows: DataFrame, tasks: Tasks) -> DataFrame:
    """The partials by key: one exchange for several branches that read them.

    Spark reuses the exchange only if all branches need the same columns. The observation, whose result is not used,
    keeps Spark from pruning columns below it.
    """
    moved = tasks.by_key(rows, keys)
    if moved is rows:
        return rows
    return moved.observe(Observation(), F.first(F.struct(*moved.columns)).alias("row"))
