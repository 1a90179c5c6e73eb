"""Aggregates of rows that lie by key are one step, and say what two would have said."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from airflow_nrt.engine import java_class, merged_aggregates

KINDS = {
    "hash": ("sum(v) FILTER (WHERE v > 5)", "count(DISTINCT k)"),
    "object hash": ("sort_array(collect_set(v % 3))",),
    "sorted": ("max(CAST(v AS STRING))",),
}


def rows(spark):
    return spark.range(1000).selectExpr("id % 10 AS k", "id AS v")


def steps(frame) -> int:
    return frame._jdf.queryExecution().executedPlan().toString().count("Aggregate")


@pytest.mark.parametrize("kind", KINDS)
def test_one_step_where_rows_lie_by_key(spark, kind: str) -> None:
    call = F.expr(KINDS[kind][0]).alias("a")
    apart, together = rows(spark).groupBy("k").agg(call), rows(spark).repartition("k").groupBy("k").agg(call)
    assert (steps(apart), steps(together)) == (2, 1)
    assert sorted(together.collect()) == sorted(apart.collect())


def test_one_step_without_any_aggregate(spark) -> None:
    distinct = rows(spark).selectExpr("k", "v % 7 AS v").repartition("k").distinct()
    assert steps(distinct) == 1
    assert distinct.count() == 70


def test_what_an_exchange_or_a_distinct_lies_in_stays(spark) -> None:
    assert steps(rows(spark).groupBy("k").count()) == 2
    counted = rows(spark).selectExpr("k", "v % 7 AS v").repartition("k").groupBy("k").agg(F.count_distinct("v"))
    assert steps(counted) > 1
    assert {row[1] for row in counted.collect()} == {7}


def test_both_halves_stay_where_the_class_does_not_fit(spark, monkeypatch, caplog) -> None:
    monkeypatch.setattr(java_class, "source", lambda name: "no Java")
    merged_aggregates.use_merged_aggregates(spark)
    assert "MergedAggregates.java does not fit here" in caplog.text
