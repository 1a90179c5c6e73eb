"""Spark and the memory of `airflow_nrt.testing` compute the same from the same history."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from tests.engine.driver.agree.histories import history
from tests.engine.driver.agree.kind import Kind
from tests.engine.driver.agree.streams import InMemory, OnSpark

BATCHES = 3


def agreement(spark: SparkSession, place: Path, kind: Kind, seed: str) -> Iterator[tuple[list[Any], list[Any]]]:
    """What is equal on Spark and in memory: what readers see after each event, and in the end what both logs say, also
    of late rows and watermarks."""
    live, memory = OnSpark(spark, kind, place), InMemory(kind)
    sources = [one.name for one in memory.plan.sources]
    for event in history(random.Random(seed), sources, BATCHES, kind.shops):
        event(live)
        event(memory)
        yield live.shown(), memory.shown()
    assert memory.shown()
    yield live.said(), memory.said()
