"""A home whose numbers in JSON and elements of arrays were not as in Flink goes on with rows that are."""

from __future__ import annotations

import json
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.verify.verify import verify
from tests.homes.archives import unpack
from tests.homes.scene import Scene
from tests.homes.scenes import event


def test_rows_of_earlier_entries_keep_their_texts_and_elements(spark: SparkSession, tmp_path: Path) -> None:
    scene = Scene.of_kept(spark, unpack("in_json", tmp_path))
    # Later than the files that it has.
    scene.arrived = 9
    new = event(6, "12.50", 46, None, {"x": 7}), event(6, "12.5", 47), event(7, "1e2", 48, None), event(7, "3", 70)
    scene.arrive("events", *new, ends="json")
    scene.finish()
    rows = {table: [json.loads(row) for row in rows] for table, rows in scene.rows().items()}
    # The amounts of the first window were all 12.5 and 100.0.
    amounts = {row["e"][11:16]: row["amounts"] for row in rows["tumbling"]}
    assert amounts == {"10:20": 2, "10:40": 2, "11:00": 4, "11:20": 1}
    # The first row is from a NULL element, the last one has none.
    assert {row["e"][11:16]: row["n"] for row in rows["unnested"]} == {"10:20": 5, "10:40": 6, "11:00": 1}
    texts = {(row["id"], row["amount"], row["doc"]) for row in rows["passed"]}
    assert {(1, "12.5", '{"n":12.5}'), (2, "100.0", '{"n":100.0}')} <= texts
    assert {(6, "12.50", '{"n":12.50}'), (6, "12.5", '{"n":12.5}'), (7, "1E+2", '{"n":1E+2}')} <= texts
    counted = {row["amount"]: row["n"] for row in rows["counted"]}
    assert (counted["12.5"], counted["12.50"], counted["100.0"], counted["1E+2"]) == (4, 1, 1, 1)
    verdict = verify(spark, scene.plan, scene.home)
    assert verdict.is_proven and not verdict.problems, verdict
