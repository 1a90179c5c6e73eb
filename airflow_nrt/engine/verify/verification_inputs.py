"""What a verification has read before it looks at any sink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import SparkSession

from airflow_nrt.describe.verdict import LedgerVerdict
from airflow_nrt.engine.archive.source_archive import SourceArchive
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.verify.evidence import (
    ReadRows,
)
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.lacking import lacking
from airflow_nrt.model.plan import Plan


@dataclass
class Scene:
    """The inputs of a verification, which all inserts share."""

    spark: SparkSession
    plan: Plan
    home: Home
    history: History
    interval: Interval
    tasks: Tasks
    archives: Mapping[str, SourceArchive]
    sources: dict[str, ReadRows]
    ledgers: list[LedgerVerdict]
    notes: list[str]
    unfilled: Mapping[str, set[int]]
    """The ends of windows that added tables lack."""


def unfilled(home: Home, history: History) -> dict[str, set[int]]:
    """By insert, the ends of the windows that its table lacks, because it was added and is being filled."""
    found = lacking(home.log().entries(0, history.entry), home.identity().added)
    return {
        name: {one.published.end for one in windows if one.published.end is not None} for name, windows in found.items()
    }
