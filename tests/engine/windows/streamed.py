"""What tests of kinds of windows share: their inserts, and a stream in pieces that the verifier has to prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.verify import verify
from airflow_nrt.report.plan import Plan
from airflow_nrt.report.verdict import Verdict
from tests.engine.reports import (
    DELAY,
    HOUR,
    Stream,
    arriving,
    events_table,
    plan_of,
    random_events,
)

BOUNDS = "window_start, window_end"


@dataclass(frozen=True)
class Case:
    """A query over `events`, and the columns of the table that takes it."""

    columns: str
    query: str

    def insert(self, name: str) -> str:
        return f"""
CREATE TABLE {name} ({self.columns})
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/{name}', 'format' = 'parquet');
INSERT INTO {name} {self.query};"""


def windowed(columns: str, query: str) -> Case:
    """A query whose last two columns are the bounds of its windows."""
    return Case(f"{columns}, window_start TIMESTAMP(3), window_end TIMESTAMP(3)", query)


def streamed(spark: SparkSession, place: Path, inserts: Sequence[str], rows: int) -> tuple[Plan, Verdict]:
    """The verdict on a stream of `events` of two hours, a fifth of them up to an hour late, in two pieces.

    A second driver takes over between them, from what the first has stored; all that is left fires at the end.
    """
    events = arriving(random_events(0, rows, 2 * HOUR), 0, DELAY, late=0.2)
    plan = plan_of(place, events_table(), *inserts)
    Stream(spark, plan, place / "home").absorb_batches(place, [events[: rows // 2]])
    second = Stream(spark, plan, place / "home")
    second.absorb_batches(place, [events[rows // 2 :]])
    second.end()
    return plan, verify(spark, plan, second.home)
