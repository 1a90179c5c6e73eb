"""What each rule for speed gains, in what can be counted: steps, rows, compilations, bytes. Its switch takes it away.

`python -m bench.rules` has the same in CPU time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.java_sources import SPEED_RULES
from airflow_nrt.basics.types import DataType, decimal
from airflow_nrt.engine.aggregates.total import unscaled
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sources.values import CSV, value_sql
from tests.engine.java.sessions import Allocated, with_rules

ROWS = 100_000
STAMPS = "concat('2024-06-18 08:40:0', id % 10, '.123')"
AMOUNTS = "concat(id, '.50')"
LINES = "concat(id, ',a,12.50')"
BY_BYTES = {
    "a time": f"max({value_sql(STAMPS, DataType('TIMESTAMP', 3), CSV)})",
    "an amount": f"max({value_sql(AMOUNTS, decimal(10, 2), CSV)})",
    "a line": f"max(split({LINES}, ',', -1)[1])",
    "a time that is written": "max(date_format(timestamp_micros(id), 'yyyy-MM-dd HH:mm:ss.SSS'))",
}
BY_NUMBER = {
    "a clock": "max(CAST(CAST(timestamp_micros(id) AS TIMESTAMP_NTZ) AS TIMESTAMP))",
    "an amount": f"sum({unscaled('CAST(id AS DECIMAL(15, 2))', decimal(15, 2))})",
}


Sides = Callable[[str], tuple[SparkSession, SparkSession]]


@pytest.fixture(scope="module")
def sides(spark) -> Sides:
    """A session with all rules, and one without the rule with this name."""
    with_all = with_rules(spark, SPEED_RULES)
    return cache(lambda name: (with_all, with_rules(spark, [rule for rule in SPEED_RULES if rule.name != name])))


@pytest.fixture(scope="module")
def allocated(spark) -> Allocated:
    return Allocated(spark)


def plan_of(frame: DataFrame) -> Any:
    ours: Any = frame
    return ours._jdf.queryExecution().executedPlan()


def of_aggregates(frame: DataFrame, metric: str) -> list[int]:
    """This metric of each aggregate of a plan that has run, from the top."""
    found, below = [], [plan_of(frame)]
    while below:
        step = below.pop()
        if "Aggregate" in step.nodeName():
            found.append(step.metrics().apply(metric).value())
        children = step.children()
        below += [children.apply(n) for n in range(children.size())]
    return found


def test_merged_aggregates_keep_one_table_of_all_groups(sides: Sides) -> None:
    rows, memory = [], []
    for session in sides("MergedAggregates"):
        by_key = session.range(20_000).selectExpr("id % 5000 AS k", "id AS v").repartition(1, "k")
        frame = by_key.groupBy("k").agg(F.sum("v").alias("v"))
        assert len(frame.collect()) == 5000
        rows.append(of_aggregates(frame, "numOutputRows"))
        memory.append(sum(of_aggregates(frame, "peakMemory")))
    assert rows == [[5000], [5000, 5000]]
    assert memory[1] == 2 * memory[0] > 0


def compilations(spark: Any) -> int:
    name = "org.apache.spark.metrics.source.CodegenMetrics"
    return int(java_class(spark._jvm, name).METRIC_COMPILATION_TIME().getCount())


def compiled_by(session: SparkSession, moments: range) -> int:
    """How often batches compile code that differ in a moment."""
    before = compilations(session)
    for moment in moments:
        since = session.range(1000).selectExpr(f"id + {moment}L AS v").where(f"v >= {moment + 500}L")
        assert since.groupBy(F.expr("v % 10 AS k")).count().selectExpr("sum(count) AS n").first()["n"] == 500
    return compilations(session) - before


def test_batches_with_other_moments_compile_once(sides: Sides) -> None:
    moments = range(1_718_700_000_000, 1_718_700_000_000 + 5 * 600_000, 600_000)
    with_it, without = sides("MomentsByReference")
    compiled_by(with_it, moments[:1])
    compiled_by(without, moments[:1])
    assert compiled_by(with_it, moments[1:]) == 0
    assert compiled_by(without, moments[1:]) >= 4


def test_compiled_metrics_make_no_object_of_a_row(sides: Sides, allocated: Allocated) -> None:
    kinds, used = [], []
    for session in sides("CompiledMetrics"):
        rows = session.range(0, ROWS, 1, 1).selectExpr("id AS v", "id % 7 AS k")
        watched = rows.observe(Observation(), F.count("*").alias("all"), F.max("v").alias("most"))
        frame = watched.groupBy().agg(F.sum("k"))
        used.append(allocated.by(frame))
        # Steps with generated code have a star.
        steps = plan_of(frame).toString().splitlines()
        kinds += [line.lstrip(" :+-").partition("Metrics")[0] for line in steps if "CollectMetrics" in line]
    assert kinds == ["*(1) Collect", "Collect"]
    assert used[1] - used[0] > 16 * ROWS


@pytest.mark.parametrize("kind", BY_NUMBER)
def test_plain_casts_make_no_objects(sides: Sides, allocated: Allocated, kind: str) -> None:
    assert saved(sides, allocated, "PlainCasts", BY_NUMBER[kind]) > 16 * ROWS


@pytest.mark.parametrize("kind", BY_BYTES)
def test_plain_texts_make_fewer_objects(sides: Sides, allocated: Allocated, kind: str) -> None:
    assert saved(sides, allocated, "PlainTexts", BY_BYTES[kind]) > 64 * ROWS


def saved(sides: Sides, allocated: Allocated, rule: str, aggregate: str) -> int:
    """How many bytes more are allocated without the rule."""
    with_it, without = (
        allocated.by(session.range(0, ROWS, 1, 1).selectExpr(f"{aggregate} AS found")) for session in sides(rule)
    )
    return without - with_it


def test_no_rule_is_without_a_test_here() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    assert [rule.name for rule in SPEED_RULES if f'"{rule.name}"' not in here] == []
