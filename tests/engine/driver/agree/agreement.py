"""Spark and the memory of `airflow_nrt.testing` compute the same from the same history."""

from __future__ import annotations

import random
from pathlib import Path

from pyspark.sql import SparkSession

from tests.engine.driver.agree.histories import history
from tests.engine.driver.agree.kind import Kind
from tests.engine.driver.agree.streams import InMemory, OnSpark

BATCHES = 4


def assert_agree(spark: SparkSession, place: Path, kind: Kind, seed: str) -> None:
    """After each event readers see the same. In the end both logs say the same, also of late rows and watermarks."""
    live, memory = OnSpark(spark, kind, place), InMemory(kind)
    sources = [one.name for one in memory.plan.sources]
    published = 0
    for event in history(random.Random(seed), sources, BATCHES):
        event(live)
        event(memory)
        assert live.shown() == memory.shown()
        published += bool(memory.shown())
    assert live.said() == memory.said()
    assert published
