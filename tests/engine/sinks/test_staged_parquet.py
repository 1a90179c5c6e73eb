"""Staged rows are read back as they were, without asking Spark what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.sinks.staged_parquet import read_staged, staged_parquet
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import MORNING

REPORT = """
CREATE TABLE orders (item INT, price DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE curve (item INT, window_end TIMESTAMP(3), gmv DECIMAL(38, 2))
WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'parquet');
INSERT INTO curve SELECT item, window_end, SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY item, window_start, window_end;
"""
COLUMNS = ("CAST(id AS INT) AS item", "CAST(id AS STRING) AS text", "CAST(id / 4 AS DECIMAL(38, 2)) AS gmv")


@pytest.mark.parametrize("ends", [(600_000, 1_200_000), (MORNING, MORNING + 600_000)])
def test_the_rows_of_windows(spark: SparkSession, tmp_path: Path, ends: tuple[int, int]) -> None:
    insert = plan_script(REPORT, {}, "curve", tmp_path).inserts[0]
    end = f"CAST(IF(id % 2 = 0, {ends[0]}, {ends[1]}) AS BIGINT) AS _nrt_end"
    rows = spark.range(0, 10, 1, 1).selectExpr(*COLUMNS, end)
    files = list(staged_parquet(rows, insert, tmp_path / "staged" / "1", "complete", str))
    context = spark.sparkContext
    context.setLocalProperty("spark.jobGroup.id", "reading staged rows")
    read = read_staged(spark, insert, [tmp_path / one.staged for one in files])
    context.setLocalProperty("spark.jobGroup.id", None)
    assert sorted((one.end, one.rows, one.target) for one in files) == [(one, 5, str(one)) for one in ends]
    assert list(context.statusTracker().getJobIdsForGroup("reading staged rows")) == []
    assert read.dtypes == rows.dtypes
    assert sorted(read.collect()) == sorted(rows.collect())
