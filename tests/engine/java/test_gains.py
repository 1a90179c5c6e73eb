"""What each rule for speed gains, in what can be counted: steps, rows, compilations, bytes. Its switch takes it away.

`python -m bench.rules` has the same in CPU time.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.java_sources import SPEED_RULES
from airflow_nrt.engine.java.objects import java_class
from tests.engine.java.allocations import BY_BYTES, BY_NUMBER, watched
from tests.engine.java.sessions import with_rules

ROOT = Path(__file__).parents[3]
Sides = Callable[[str], tuple[SparkSession, SparkSession]]


@pytest.fixture(scope="module")
def sides(spark) -> Sides:
    """A session with all rules, and one without the rule with this name."""
    with_all = with_rules(spark, SPEED_RULES)
    return cache(lambda name: (with_all, with_rules(spark, [rule for rule in SPEED_RULES if rule.name != name])))


@pytest.fixture(scope="module")
def saved(process: None) -> dict[str, int]:
    """How many bytes a row more are allocated without a rule, by rule and expression. In a Java of its own, because all
    that its threads allocate is counted."""
    done = subprocess.run([sys.executable, "-m", "tests.engine.java.allocations"], stdout=subprocess.PIPE, cwd=ROOT)
    assert done.returncode == 0
    found: dict[str, int] = json.loads(done.stdout)
    return found


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
    moments = range(1_718_700_000_000, 1_718_700_000_000 + 17 * 600_000, 600_000)
    with_it, without = sides("MomentsByReference")
    compiled_by(with_it, moments[:1])
    compiled_by(without, moments[:1])
    # What other test processes compile in the same Java comes on top.
    assert min(compiled_by(with_it, moments[n : n + 4]) for n in range(1, 17, 4)) == 0
    assert compiled_by(without, moments[1:5]) >= 4


def test_compiled_metrics_are_a_step_of_generated_code(sides: Sides) -> None:
    kinds = []
    for session in sides("CompiledMetrics"):
        frame = watched(session)
        frame.collect()
        # Steps with generated code have a star.
        steps = plan_of(frame).toString().splitlines()
        kinds += [line.lstrip(" :+-").partition("Metrics")[0] for line in steps if "CollectMetrics" in line]
    assert kinds == ["*(1) Collect", "Collect"]


def test_compiled_metrics_make_no_object_of_a_row(saved: dict[str, int]) -> None:
    assert saved["CompiledMetrics"] > 16


@pytest.mark.parametrize("kind", BY_NUMBER)
def test_plain_casts_make_no_objects(saved: dict[str, int], kind: str) -> None:
    assert saved[f"PlainCasts {kind}"] > 16


@pytest.mark.parametrize("kind", BY_BYTES)
def test_plain_texts_make_fewer_objects(saved: dict[str, int], kind: str) -> None:
    assert saved[f"PlainTexts {kind}"] > 64


def test_no_rule_is_without_a_test_here() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    assert [rule.name for rule in SPEED_RULES if f'"{rule.name}' not in here] == []
