"""What a long batch says while it works."""

from __future__ import annotations

import re
import time
from typing import Any

from airflow_nrt.basics.durations import DAY, HOUR
from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.engine.batch.progress import ShownWindows, shown_tasks, span_of
from airflow_nrt.home.log.entries import Published


def test_the_tasks_of_a_step_under_way_are_counted(spark: Any) -> None:
    said: list[str] = []
    counts = re.compile(r"^curve, computing: \d+ s, (\d+) of (\d+) tasks of this step done \((\d+) %\)$")

    def counted() -> list[tuple[int, ...]]:
        return [tuple(map(int, match.groups())) for one in said if (match := counts.match(one))]

    until = time.monotonic() + 60
    with shown_tasks(spark, "curve, computing", said.append, every=0.2):
        # Other sessions of the same Java may have stages of their own, with fewer tasks.
        while not any(tasks >= 10 for _, tasks, _ in counted()) and time.monotonic() < until:
            spark.range(0, 10, 1, 10).selectExpr("java_method('java.lang.Thread', 'sleep', 150L)").collect()
    assert any(tasks >= 10 for _, tasks, _ in counted())
    assert all(done <= tasks and share == done * 100 // tasks for done, tasks, share in counted())


def test_windows_are_counted_as_they_appear() -> None:
    said: list[str] = []
    count = ShownWindows(4, said.append, every=0.0)
    for hour in range(4):
        end = parse_instant("2024-06-18") + (hour + 1) * HOUR
        count(Published("curve", end - HOUR, end, "restated", 1, "", "", str(hour)))
    assert said[1] == "published 2 of 4 windows (50 %), up to 2024-06-18 02:00:00"
    assert (span_of(0, DAY), span_of(0, 30 * DAY + 1)) == ("1 day", "31 days")
