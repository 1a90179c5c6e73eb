"""A home whose rows kept more fraction digits than their types have goes on with rows that do not."""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.verify.verify import verify
from tests.homes.archives import unpack
from tests.homes.scene import Scene


def test_rows_of_earlier_entries_keep_their_digits(spark: SparkSession, tmp_path: Path) -> None:
    scene = Scene.of_kept(spark, unpack("fractions", tmp_path))
    # Later than the files that it has.
    scene.arrived = 9
    new = ("00.777111", "00.777999", "00.777")
    scene.arrive("events", *(f"e,2024-06-18 10:00:{seen},2024-06-18 10:50:00.0009" for seen in new))
    scene.finish()
    times = {row["e"][11:16]: row["times"] for row in map(json.loads, scene.rows()["tumbling"])}
    # In the second window are two old times; in the last one are new ones alone, three of which are one.
    assert times == {"10:20": 3, "10:40": 3, "11:00": 2}
    assert {row["shop"]: row["times"] for row in map(json.loads, scene.rows()["shops"])}["e"] == 1
    verdict = verify(spark, scene.plan, scene.home)
    assert verdict.is_proven and not verdict.problems, verdict


def test_rows_of_earlier_entries_keep_what_their_casts_kept(spark: SparkSession, tmp_path: Path) -> None:
    scene = Scene.of_kept(spark, unpack("cast_digits", tmp_path))
    # Later than the files that it has.
    scene.arrived = 9
    scene.arrive("events", *(f"e,2024-06-18 10:00:00.{seen},2024-06-18 10:50:00" for seen in ("123456", "123499")))
    scene.finish()
    rows = {table: [json.loads(row) for row in rows] for table, rows in scene.rows().items()}
    counts = {row["e"][11:16]: (row["times"], row["texts"]) for row in rows["tumbling"]}
    # Three times of the first window begin with the same digit; in the last one, two have become one.
    assert counts == {"10:20": (3, 3), "10:40": (2, 2), "11:00": (2, 2)}
    passed = {(row["shop"], row["seen"]) for row in rows["passed"]}
    assert {("a", "2024-06-18 10:00:00.123456"), ("e", "2024-06-18 10:00:00.120000")} <= passed
    verdict = verify(spark, scene.plan, scene.home)
    assert verdict.is_proven and not verdict.problems, verdict
