"""Inserts with a timing: their tables, a stream whose watermark follows a script, and what it published when."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.model.result_timing import OutputOptions
from tests.engine.reports import MINUTE, MORNING, Stream, clock, plan_of, write_lines

TEN = MORNING + 600 * MINUTE
"""10:00. Times in scripts are minutes from there."""
KEYS = {"SESSION": "shop, window_start", "CUMULATE": "shop, window_end"}
EVENTS = """
CREATE TABLE events (shop INT, user_id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/events', 'format' = 'csv', 'csv.null-literal' = 'NULL');
"""


def timed_insert(window: str, timing: OutputOptions, name: str = "counts", more: str = "", column: str = "") -> str:
    """Rows and users by shop over a windowing such as `TUMBLE(INTERVAL '30' MINUTE)`; `more` is SQL at the end."""
    function, _, arguments = window.partition("(")
    table = "TABLE events PARTITION BY shop" if function == "SESSION" else "TABLE events"
    key = KEYS.get(function, "shop, window_start, window_end")
    return f"""
CREATE TABLE {name} (shop INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), n BIGINT, users BIGINT, {column}
    PRIMARY KEY ({key}) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/{name}', 'format' = 'json');
INSERT INTO {name} {timing.hint()}
SELECT shop, window_start, window_end, COUNT(*), COUNT(DISTINCT user_id)
FROM TABLE({function}({table}, DESCRIPTOR(ts), {arguments})
WHERE shop > 0 GROUP BY shop, window_start, window_end {more};"""


def in_changes(insert: str) -> str:
    """The same insert, into files of changes."""
    return insert.replace("'format' = 'json'", "'format' = 'debezium-json'")


def without_key(insert: str) -> str:
    return re.sub(r",\s*PRIMARY KEY \([^)]*\) NOT ENFORCED", "", insert)


@dataclass(frozen=True)
class Seen:
    """A version of a window: when it was published (minutes of the watermark), which window, as what."""

    at: float
    end: float
    state: str


class Scripted:
    """A stream whose watermark is what its last row says: a row of no shop moves time, and is in no window."""

    def __init__(self, spark: SparkSession, place: Path, *statements: str) -> None:
        self.spark = spark
        self.place = place
        self.plan = plan_of(place, EVENTS, *statements)
        self.restart()

    def restart(self) -> None:
        self.stream = Stream(self.spark, self.plan, self.place / "home")

    def absorb(self, *rows: tuple[int, int, float], until: float | None = None) -> None:
        """One batch of (shop, user, minute); then the watermark is `until` at least."""
        lines = [f"{shop},{user},{_text(minute)}" for shop, user, minute in rows]
        lines += [] if until is None else [f"0,0,{_text(until)}"]
        number = len(list((self.place / "events").glob("*.csv")))
        self.stream.absorb(write_lines(self.place / "events" / f"{number:03d}.csv", lines))

    def published(self, insert: str = "counts") -> list[Seen]:
        """All versions in their order."""
        found = []
        for entry in self.stream.entries:
            for one in entry.published:
                if one.insert == insert and entry.position is not None and one.end is not None:
                    at = entry.position.sources["events"].watermark
                    found.append(Seen(_minutes(at), _minutes(one.end), one.state))
        return found

    def rows(self, name: str = "counts") -> list[Mapping[str, Any]]:
        """What a reader sees, who folds changes in the order of the log."""
        if self.plan.insert(name).sink.is_changelog:
            return self._folded(name)
        files = sorted((self.place / name).rglob("*.json"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def changes(self, name: str) -> list[Mapping[str, Any]]:
        """The lines of files of changes. Raises AssertionError if a file is lacking, or is one too many."""
        told: dict[str, None] = {}
        for entry in self.stream.entries:
            told.update({one.target: None for one in entry.published if one.insert == name and one.target})
            for target in entry.removed:
                told.pop(target.removeprefix(f"{name}/"), None)
        files = [self.place / name / target for target in told]
        assert {*files} == {*(self.place / name).rglob("*.json")}
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def _folded(self, name: str) -> list[Mapping[str, Any]]:
        """Raises AssertionError where a row is retracted that is not there, or one is added that is there."""
        key = self.plan.insert(name).sink.primary_key
        table: dict[str, Mapping[str, Any]] = {}
        for change in self.changes(name):
            row = change["after"] or change["before"]
            known = str([row[column] for column in key] if key else row)
            if change["op"] == "d":
                del table[known]
            else:
                assert known not in table or (key and table[known] != row), change
                table[known] = row
        return list(table.values())


def _text(minute: float) -> str:
    return clock(TEN + int(minute * MINUTE))


def _minutes(ms: int | None) -> float:
    assert ms is not None
    return (ms - TEN) / MINUTE
