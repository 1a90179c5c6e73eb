"""Connector `blackhole`: results are computed, and go nowhere. No window of theirs is published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.sinks.sink import Sink
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.model.plan import Insert


class Blackhole(Sink):
    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        """There is nothing that could be wrong."""

    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> list[Published]:
        frame.write.format("noop").mode("overwrite").save()
        return []

    def publish(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> None:
        """There is nothing to publish."""

    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        """There is nothing to remove."""
