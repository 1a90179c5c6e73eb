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
from tests.engine.java.gains import BATCHES, BY_BYTES, BY_NUMBER
from tests.engine.java.sessions import with_rules

ROOT = Path(__file__).parents[3]
Sides = Callable[[str], tuple[SparkSession, SparkSession]]


@pytest.fixture(scope="module")
def sides(spark) -> Sides:
    """A session with all rules, and one without the rule with this name."""
    with_all = with_rules(spark, SPEED_RULES)
    return cache(lambda name: (with_all, with_rules(spark, [rule for rule in SPEED_RULES if rule.name != name])))


@pytest.fixture(scope="module")
def gains(process: None) -> dict[str, int]:
    """What `gains.py` prints: in a Java of its own, because all that is allocated and compiled in it is counted."""
    done = subprocess.run([sys.executable, "-m", "tests.engine.java.gains"], stdout=subprocess.PIPE, cwd=ROOT)
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


@pytest.mark.thorough
def test_batches_with_other_moments_compile_once(gains: dict[str, int]) -> None:
    assert gains["MomentsByReference"] == 0
    assert gains["no MomentsByReference"] >= BATCHES


@pytest.mark.parametrize("kind", BY_NUMBER)
def test_plain_casts_make_no_objects(gains: dict[str, int], kind: str) -> None:
    assert gains[f"PlainCasts {kind}"] > 16


@pytest.mark.parametrize("kind", BY_BYTES)
def test_plain_texts_make_fewer_objects(gains: dict[str, int], kind: str) -> None:
    assert gains[f"PlainTexts {kind}"] > 64


def test_no_rule_is_without_a_test_here() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    assert [rule.name for rule in SPEED_RULES if f'"{rule.name}' not in here] == []
