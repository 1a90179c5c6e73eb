"""One cell as it was published beside the batch's: equal, different, or explained by the rows that counted.

How far two numbers may differ and be equal is what the aggregate says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.describe.verdict import DIFFERENT, EQUAL, EXPLAINED, EXTRA, MISSING
from airflow_nrt.engine.verify.comparison import CLASS, Sides, classify
from airflow_nrt.engine.verify.tolerance import tolerance_of
from airflow_nrt.model.aggregates import AGGREGATES
from tests.engine.reports import events_table, plan_of

REPORT = """
CREATE TABLE means (shop INT, window_end TIMESTAMP(3), mean DOUBLE)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/means', 'format' = 'parquet');
INSERT INTO means SELECT shop, window_end, AVG(weight)
FROM TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR) GROUP BY shop, window_start, window_end;"""
NOT_THERE = "not there"
CELLS = [
    # Published, of the batch, of the rows that counted.
    (1.0, 1.0, 1.0, EQUAL),
    (1.0, 1.0 + 1e-12, 1.0, EQUAL),
    (1e12, 1e12 + 100, 0.0, EQUAL),
    (1.0, 1.001, 1.001, DIFFERENT),
    (1.0, 2.0, 1.0, EXPLAINED),
    (None, None, 1.0, EQUAL),
    (None, 0.0, 0.0, DIFFERENT),
    (0.0, None, None, DIFFERENT),
    (None, 1.0, None, EXPLAINED),
    (nan, nan, nan, EQUAL),
    (nan, 1.0, 1.0, DIFFERENT),
    (inf, inf, inf, EQUAL),
    (inf, -inf, -inf, DIFFERENT),
    (0.0, -0.0, -0.0, EQUAL),
    (NOT_THERE, 1.0, 1.0, MISSING),
    (NOT_THERE, 1.0, NOT_THERE, EXPLAINED),
    (1.0, NOT_THERE, NOT_THERE, EXTRA),
    (1.0, NOT_THERE, 1.0, EXPLAINED),
]


OF_MAXIMA = [(1.0, 1.0, 1.0, EQUAL), (1.0, 1.0 + 1e-12, 1.0 + 1e-12, DIFFERENT), (0.0, -0.0, -0.0, EQUAL)]
OF_ROUGH_MEANS = [(1.0, 1.2, 1.2, EQUAL), (10.0, 12.0, 12.0, EQUAL), (1.0, 1.5, 1.5, DIFFERENT)]


def test_each_pair_of_cells(spark: SparkSession, tmp_path: Path) -> None:
    assert classified(spark, tmp_path, REPORT, CELLS) == [kind for *_, kind in CELLS]


def test_what_is_exact_is_compared_exactly(spark: SparkSession, tmp_path: Path) -> None:
    maxima = REPORT.replace("AVG", "MAX")
    assert classified(spark, tmp_path, maxima, OF_MAXIMA) == [kind for *_, kind in OF_MAXIMA]


def test_an_aggregate_says_how_far(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AGGREGATES, "AVG", replace(AGGREGATES["AVG"], tolerance=0.25))
    assert classified(spark, tmp_path, REPORT, OF_ROUGH_MEANS) == [kind for *_, kind in OF_ROUGH_MEANS]


def classified(spark: SparkSession, place: Path, report: str, cells: Sequence[tuple[object, ...]]) -> list[str]:
    """The class of each pair of cells, which are of one shop each."""
    plan = plan_of(place, events_table(), report)
    (insert,) = plan.inserts
    schema = "shop INT, window_end TIMESTAMP_NTZ, mean DOUBLE, _nrt_end BIGINT"

    def side(values: list[object]):
        rows = [f"({shop}, {cell(value)})" for shop, value in enumerate(values) if value is not NOT_THERE]
        columns = "shop, TIMESTAMP_NTZ'2024-06-18 01:00:00' AS window_end, mean, 3600000L AS _nrt_end"
        return spark.sql(f"SELECT {columns} FROM VALUES {', '.join(rows)} AS t(shop, mean)").to(schema_of(schema))

    def schema_of(ddl: str):
        return spark.createDataFrame([], ddl).schema

    published, batch, arrived = ([one[n] for one in cells] for n in range(3))
    sides = Sides(side(published), side(batch), side(arrived))
    found = classify(insert, sides, tolerance_of(plan, insert)).collect()
    classes = {int(row.key.partition("shop=")[2].partition(",")[0]): row[CLASS] for row in found}
    return [classes[shop] for shop in range(len(cells))]


def cell(value: object) -> str:
    return "CAST(NULL AS DOUBLE)" if value is None else f"CAST('{value}' AS DOUBLE)"
