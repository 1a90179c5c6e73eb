"""What identifies a row of a topic, however the log cuts its partition into ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from pyspark.sql import functions as F

from airflow_nrt.engine.sources.place import FILE, identity, known_files
from airflow_nrt.engine.sources.ranges import OFFSET, PART, in_ranges, placed
from airflow_nrt.home.log.splits import SourceRange


@pytest.mark.parametrize("cuts", [(0, 9), (0, 4, 9), (0, 1, 2, 9)])
def test_a_row_of_a_topic_has_its_partition_and_offset(spark, cuts: Sequence[int]) -> None:
    ranges = [SourceRange("a-0", start, end, 0) for start, end in pairwise(cuts)]
    rows = spark.range(9).select(F.lit("a-0").alias(PART), F.col("id").alias(OFFSET), F.lit(0).alias("p"))
    for frame in (in_ranges(rows, ranges, {}), placed(rows, ranges, {}, "p")):
        assert {row[0] for row in frame.selectExpr(identity()).collect()} == {f"a-0@{n}" for n in range(9)}


@pytest.mark.parametrize("others", [0, 100], ids=["few files", "many files"])
def test_a_row_has_what_is_known_of_its_file(spark, others: int) -> None:
    known = {"file:/it's \\ a": (1, None), "b": (2, 9), **{f"other {n}": (n, n) for n in range(others)}}
    rows = spark.createDataFrame([("b",), ("file:/it's \\ a",), ("b",)], f"{FILE} STRING")
    found = known_files(rows, known, "number", "end").select(FILE, "number", "end")
    assert sorted(map(tuple, found.collect())) == [("b", 2, 9), ("b", 2, 9), ("file:/it's \\ a", 1, None)]
    assert [field.dataType.simpleString() for field in found.schema] == ["string", "bigint", "bigint"]


@pytest.mark.parametrize("files", [0, 1, 100])
def test_a_row_of_an_unknown_file_is_not_lost(spark, files: int) -> None:
    rows = spark.createDataFrame([("b",)], f"{FILE} STRING")
    with pytest.raises(Exception, match="the file b is spelled otherwise than the log spells it"):
        known_files(rows, {f"other {n}": (n,) for n in range(files)}, "number").collect()


def test_few_files_cost_a_batch_no_table(spark) -> None:
    rows = spark.createDataFrame([("a",)], f"{FILE} STRING")
    assert "Join" not in known_files(rows, {"a": (1,)}, "number")._jdf.queryExecution().executedPlan().toString()
