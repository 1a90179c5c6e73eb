"""Few rows are interpreted in one task, many are compiled and take as many tasks as were chosen, or memory asks for."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from airflow_nrt.engine.spark.tuning import MANY_ROWS, MOST_PARTITIONS, ROWS_AT_ONCE, Tasks, tune_for
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.home.log.splits import SourceFile


@pytest.mark.parametrize(
    "rows, partitions, compiled",
    [
        (0, 1, False),
        (MANY_ROWS - 1, 1, False),
        (MANY_ROWS, 2, True),
        (2 * ROWS_AT_ONCE, 2, True),
        (2 * ROWS_AT_ONCE + 1, 4, True),
        (20_000_000, 10, True),
    ],
)
def test_the_rows_of_state_decide(spark: SparkSession, rows: int, partitions: int, compiled: bool) -> None:
    assert spark.conf.get(MOST_PARTITIONS) == "2"
    try:
        tune_for(spark, [StateFile("a", 0, 0, rows), SourceFile("small.csv", 10, 0)])
        groups = spark.range(10).groupBy((F.col("id") % 3).alias("g")).count()
        assert ("WholeStageCodegen" in groups._jdf.queryExecution().executedPlan().getClass().getName()) == compiled
        assert groups.rdd.getNumPartitions() == partitions
    finally:
        tune_for(spark, [])


def test_of_a_source_only_bytes_are_known(spark: SparkSession) -> None:
    try:
        tune_for(spark, [SourceFile("large.csv", MANY_ROWS * 100, 0)])
        assert spark.conf.get("spark.sql.codegen.wholeStage") == "true"
    finally:
        tune_for(spark, [])


def test_few_rows_go_through_several_tasks_where_a_test_wants_that(spark: SparkSession, several_tasks: None) -> None:
    try:
        tasks = tune_for(spark, [StateFile("a", 0, 0, 150)])
        assert tasks == Tasks(2) and not tasks.is_one
        assert tasks.by_key(spark.range(10), ["id"]).rdd.getNumPartitions() == 2
        assert spark.conf.get("spark.sql.codegen.wholeStage") == "false"
    finally:
        tune_for(spark, [])


def test_java_compiles_long_methods_too(spark: SparkSession) -> None:
    diagnostics = spark._jvm.java.lang.Class.forName("com.sun.management.HotSpotDiagnosticMXBean")
    bean = spark._jvm.java.lang.management.ManagementFactory.getPlatformMXBean(diagnostics)
    assert bean.getVMOption("DontCompileHugeMethods").getValue() == "false"
