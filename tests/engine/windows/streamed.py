"""What tests of kinds of windows share: their inserts, and a stream in pieces that the verifier has to prove."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from airflow_nrt.describe.verdict import Verdict
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    DELAY,
    HOUR,
    Stream,
    arriving,
    cut,
    events_table,
    plan_of,
    random_events,
    rows_of,
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


def any_cut(test: Callable[..., None]) -> Callable[..., None]:
    """Runs a test with a `seed` of rows, order of arrival and cut into 2 to 4 `batches`; `CUTS=20` with as many."""
    given_any = given(seed=st.integers(0, 2**32), batches=st.integers(2, 4))
    few = settings(max_examples=int(os.environ.get("CUTS", "1")), phases=(Phase.generate,), deadline=None)
    return few(given_any(test))


def streamed(
    spark: SparkSession, inserts: Sequence[str], rows: int, seed: int, batches: int
) -> tuple[Plan, Verdict, dict[str, int]]:
    """The plan, the verdict, and how many rows each insert has written.

    Streamed are `events` of two hours, a fifth of them up to an hour late. Half-way a second driver takes over from
    what the first has stored; all that is left fires at the end.
    """
    events = arriving(random_events(seed, rows, 2 * HOUR), seed, DELAY, late=0.2)
    # Some rows before the first cut and after the last, so that there are windows to be late for.
    first, last = events[: rows // 3], events[2 * rows // 3 :]
    middle = cut(events[len(first) : -len(last)], seed, batches)
    arrived = [first + middle[0], *middle[1:-1], middle[-1] + last]
    with TemporaryDirectory() as directory:
        place = Path(directory)
        plan = plan_of(place, events_table(), *inserts)
        Stream(spark, plan, place / "home").absorb_batches(place, arrived[: batches // 2])
        second = Stream(spark, plan, place / "home")
        second.absorb_batches(place, arrived[batches // 2 :])
        second.end()
        return (
            plan,
            verify(spark, plan, second.home),
            {one.name: len(rows_of(place / one.name)) for one in plan.inserts},
        )
