"""A plan of many steps runs in a small heap: each of its aggregates and sorts takes little memory for few rows."""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

STEPS = 12
MB = 1 << 20


def test_steps_of_one_task_take_little_memory(spark: SparkSession) -> None:
    rows = spark.range(10).coalesce(1)
    joined = rows
    for n in range(STEPS):
        counts = rows.groupBy("id").agg(F.count("*").alias(f"n{n}"))
        joined = joined.join(counts.hint("merge"), "id")
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", "many steps")
    assert joined.count() == 10
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    (job,) = spark.sparkContext.statusTracker().getJobIdsForGroup("many steps")
    assert 0 < peak(spark, job) < STEPS * 2 * 8 * MB


def peak(spark: SparkSession, job: int) -> int:
    """The most bytes that the tasks of a job held at once, over its stages."""
    info = spark.sparkContext.statusTracker().getJobInfo(job)
    store = spark.sparkContext._jsc.sc().statusStore()
    return max(store.lastStageAttempt(stage).peakExecutionMemory() for stage in info.stageIds)
