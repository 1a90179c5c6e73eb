"""What a session on a cluster is given; with a real one: `tests/operators/test_standalone_masters.py`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.jvm_options import DEFAULT_JAVA_OPTIONS
from airflow_nrt.engine.spark.cluster import UNKNOWN_CORES, cores, with_executors_java

DEFAULT, EXTRA = "spark.executor.defaultJavaOptions", "spark.executor.extraJavaOptions"
DYNAMIC, MOST, EACH = "spark.dynamicAllocation.enabled", "spark.dynamicAllocation.maxExecutors", "spark.executor.cores"


@pytest.fixture
def settings(spark: SparkSession) -> Iterator[Any]:
    """Settings of a session as they stand from its start, which nobody can change later."""
    conf = spark._jsparkSession.sessionState().conf()
    yield conf
    for key in (DYNAMIC, MOST, EACH):
        conf.unsetConf(key)


def test_cores_of_one_process(spark: SparkSession) -> None:
    assert cores(spark) == 2


def test_a_cluster_that_grows_with_its_tasks_gets_tasks_enough_to_grow(spark: SparkSession, settings: Any) -> None:
    settings.setConfString(DYNAMIC, "true")
    assert cores(spark) == UNKNOWN_CORES
    settings.setConfString(MOST, "10")
    settings.setConfString(EACH, "4")
    assert cores(spark) == 40
    settings.setConfString(MOST, str(2**31 - 1))
    assert cores(spark) == UNKNOWN_CORES


@pytest.mark.parametrize("mine", [{DEFAULT: "-XX:+UseSerialGC"}, {EXTRA: "-XX:+UseZGC"}])
def test_java_options_of_the_user_s_stand_alone(spark: SparkSession, mine: dict[str, str]) -> None:
    """Of two collectors in one line Java would choose none, and not start."""
    assert with_executors_java({**DEFAULT_JAVA_OPTIONS, **mine}) == {**DEFAULT_JAVA_OPTIONS, **mine}


def test_options_of_a_brief_process_stay(spark: SparkSession) -> None:
    brief = f"{DEFAULT_JAVA_OPTIONS[DEFAULT]} -XX:Tier4InvocationThreshold=15000"
    given = with_executors_java({DEFAULT: brief})
    assert given[DEFAULT].startswith(brief)
    assert given[EXTRA] == "-XX:+UseParallelGC"
