"""What identifies a row of a topic, however the log cuts its partition into ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from pyspark.sql import functions as F

from airflow_nrt.engine.sources.place import identity
from airflow_nrt.engine.sources.ranges import OFFSET, PART, in_ranges, placed
from airflow_nrt.home.log.splits import SourceRange


@pytest.mark.parametrize("cuts", [(0, 9), (0, 4, 9), (0, 1, 2, 9)])
def test_a_row_of_a_topic_has_its_partition_and_offset(spark, cuts: Sequence[int]) -> None:
    ranges = [SourceRange("a-0", start, end, 0) for start, end in pairwise(cuts)]
    rows = spark.range(9).select(F.lit("a-0").alias(PART), F.col("id").alias(OFFSET), F.lit(0).alias("p"))
    for frame in (in_ranges(rows, ranges, {}), placed(rows, ranges, {}, "p")):
        assert {row[0] for row in frame.selectExpr(identity()).collect()} == {f"a-0@{n}" for n in range(9)}
