"""Spark and the memory of `airflow_nrt.testing` compute the same from the same events, one test an operator.

What is decided is tried in memory (`decide/`): this says that it is true on Spark, too.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.home.log.entries import Entry, Position
from airflow_nrt.model.result_timing import AT_ONCE, OutputOptions, Rows
from airflow_nrt.testing.memory import MemoryHome, MemoryStream, Row
from tests.engine.due_versions import arrival
from tests.engine.reports import Stream, plan_of, write_lines
from tests.engine.timed import EVENTS, TEN, Scripted, timed_insert

SEVERAL = OutputOptions(-20 * MINUTE, 4 * MINUTE, Rows(3), True, 40 * MINUTE)
WINDOWS = {
    "TUMBLE": "TUMBLE(INTERVAL '20' MINUTE)",
    "HOP": "HOP(INTERVAL '10' MINUTE, INTERVAL '25' MINUTE)",
    "HOP with gaps": "HOP(INTERVAL '20' MINUTE, INTERVAL '10' MINUTE)",
    "CUMULATE": "CUMULATE(INTERVAL '10' MINUTE, INTERVAL '60' MINUTE)",
    "SESSION": "SESSION(INTERVAL '4' MINUTE)",
}
GROUPS = """
CREATE TABLE counts (shop INT, n BIGINT, users BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/counts', 'format' = 'debezium-json');
INSERT INTO counts SELECT shop, COUNT(*), COUNT(DISTINCT user_id) FROM events GROUP BY shop;
"""


def steps(entries: list[Entry]) -> list[tuple[Any, ...]]:
    """What a log says, without the names of files: kind, what was published, and the position."""
    found = []
    for entry in entries:
        published = sorted((one.insert, one.end or 0, one.state, one.rows) for one in entry.published if one.rows)
        found.append((entry.kind, published, len(entry.removed), _settled(entry.position)))
    return found


def _settled(position: Position | None) -> Any:
    if position is None:
        return None
    operators = {name: (one.watermark, one.fired, one.complete) for name, one in position.operators.items()}
    versions = {name: (one.at, dict(one.rows), [*one.standing]) for name, one in position.versions.items()}
    return operators, versions, position.sources, position.late, position.dropped, position.windows


@pytest.mark.parametrize(
    ("window", "timing"),
    # Versions of sessions are tried on Spark alone (tests/engine/versions).
    [(name, timing) for name in WINDOWS for timing in (AT_ONCE, SEVERAL) if name != "SESSION" or timing is AT_ONCE],
)
def test_windows(spark, tmp_path: Path, window: str, timing: OutputOptions) -> None:
    scripted = Scripted(spark, tmp_path, timed_insert(WINDOWS[window], timing))
    home = MemoryHome(scripted.plan)
    stream = MemoryStream(home)
    for batch in arrival(random.Random(5)):
        scripted.absorb(*batch)
        stream.rows("events", [Row(shop, user, TEN + int(minute * MINUTE)) for shop, user, minute in batch])
    scripted.stream.end()
    stream.ended("events")
    assert steps(home.entries) == steps(scripted.stream.entries)
    assert any(one.published for one in home.entries)
    assert sorted(_rows(home)) == sorted((row["shop"], row["n"], row["users"]) for row in scripted.rows())


def _rows(home: MemoryHome) -> list[tuple[int, int, int]]:
    counts = [one for rows in home.windows["counts"].values() for one in rows]
    # A session has its bounds in the key.
    return [(key[0] if isinstance(key, tuple) else key, n, users) for key, n, users in counts]


def test_groups(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, EVENTS, GROUPS)
    stream, home = Stream(spark, plan, tmp_path / "home"), MemoryHome(plan)
    memory = MemoryStream(home)
    for number, batch in enumerate(arrival(random.Random(6))):
        lines = [f"{shop},{user},2024-06-18 10:00:00" for shop, user, _ in batch]
        stream.absorb(write_lines(tmp_path / "events" / f"{number}.csv", lines))
        memory.rows("events", [Row(shop, user, TEN) for shop, user, _ in batch])
    changes = [
        json.loads(line) for entry in stream.entries for one in entry.published
        for line in (tmp_path / "counts" / one.target).read_text().splitlines()
    ]  # fmt: skip
    table: list[Any] = []
    for change in changes:
        if change["before"]:
            table.remove(change["before"])
        if change["after"]:
            table.append(change["after"])
    assert sorted(tuple(row.values()) for row in table) == home.folded("counts")
    published = [[len(entry.published) for entry in entries] for entries in (stream.entries, home.entries)]
    assert published[0] == published[1]
