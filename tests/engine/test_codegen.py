"""Small batches are interpreted, large ones compiled; what a plan gives is the same."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.engine.codegen import MANY_ROWS, suit
from airflow_nrt.report.entries import SourceFile


def test_the_rows_that_a_batch_reads_decide(spark: SparkSession) -> None:
    try:
        suit(spark, [SourceFile("large.csv", MANY_ROWS * 100, 0)])
        assert "WholeStageCodegenExec" in _operators(spark)
        suit(spark, [SourceFile("small.csv", 100, 0), SourceFile("smaller.csv", 10, 0)])
        assert "WholeStageCodegenExec" not in _operators(spark)
    finally:
        suit(spark, [])


def _operators(spark: SparkSession) -> list[str]:
    plan = spark.range(10).where("id % 2 = 0")._jdf.queryExecution().executedPlan()
    return [one.getClass().getSimpleName() for one in (plan, plan.children().head())]
