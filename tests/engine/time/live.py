"""A stream of numbers whose clock the test sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from airflow_nrt.model.plan import Plan
from tests.engine.reports import MORNING, Stream, clock, write_lines

EVENTS = """
CREATE TABLE events (n INT, ts TIMESTAMP(3), pt AS {proctime}(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/events', 'format' = 'json', 'source.monitor-interval' = '1 s');
"""


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.at = MORNING

    def __call__(self) -> int:
        return self.at


class Live:
    """A stream whose clock the test sets; every batch is one file."""

    def __init__(self, spark: Any, place: Path, plan: Plan) -> None:
        self.place = place
        self.clock = Clock()
        self.plan = plan
        self.spark = spark
        self.stream = self.restart()

    def restart(self) -> Stream:
        self.stream = Stream(self.spark, self.plan, self.place / "home", clock=self.clock)
        return self.stream

    def absorb(self, at: int, *numbers: int) -> None:
        self.clock.at = at
        lines = [json.dumps({"n": n, "ts": clock(MORNING)}) for n in numbers]
        count = len(list((self.place / "events").glob("*")))
        self.stream.absorb(write_lines(self.place / "events" / f"{count}.json", lines))

    def pass_time(self, at: int) -> None:
        self.clock.at = at
        self.stream.driver.pass_time()

    def rows(self, sink: str = "sums") -> list[list[Any]]:
        files = sorted((self.place / sink).rglob("*.json"))
        return sorted(list(json.loads(line).values()) for file in files for line in file.read_text().splitlines())
