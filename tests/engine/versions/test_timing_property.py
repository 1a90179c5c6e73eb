"""Random timings, random arrival, random cuts: whenever a reader looks, the sink holds what the rows give that count.

Thousands are tried in memory (`tests/engine/driver/decide`): these are on Spark, with sinks of each kind. `make
thorough` tries two hundred, `NRT_TIMINGS=1000` so many.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.instants import from_datetime
from airflow_nrt.engine.verify.verify import verify
from tests.engine.due_versions import (
    GRIDS,
    NEVER,
    Expected,
    ExpectedSessions,
    arrival,
    random_timing,
    timing_of_versions,
)
from tests.engine.timed import TEN, Scripted, in_changes, timed_insert, without_key

TIMINGS = int(os.environ.get("NRT_TIMINGS", "200"))
TOGETHER = 5
"""So many inserts of one stream; every tenth stream is verified, too."""


def thorough(seeds: Iterable[int]) -> list[Any]:
    return [pytest.param(seed, marks=pytest.mark.thorough) for seed in seeds]


@pytest.mark.parametrize("seed", [0, *thorough(range(1, -(-TIMINGS // TOGETHER)))])
def test_whenever_a_reader_looks(spark, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    grids = chance.sample(GRIDS, 2)
    expected = {f"t{n}": Expected(chance.choice(grids), random_timing(chance)) for n in range(TOGETHER)}
    inserts = [any_sink(timed_insert(one.grid.sql, one.timing, name), chance) for name, one in expected.items()]
    look_at_all_times(Scripted(spark, tmp_path, *inserts), expected, chance, is_verified=seed % 10 == 0)


@pytest.mark.parametrize("seed", [0, *thorough(range(1, -(-TIMINGS // 100)))])
def test_whenever_a_reader_looks_at_sessions(spark, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    expected = {f"t{n}": ExpectedSessions(chance.choice((4, 9)), timing_of_versions(chance)) for n in range(5)}
    inserts = [
        any_sink(timed_insert(f"SESSION(INTERVAL '{one.gap}' MINUTE)", one.timing, name), chance)
        for name, one in expected.items()
    ]
    look_at_all_times(Scripted(spark, tmp_path, *inserts), expected, chance, is_verified=True)


def any_sink(insert: str, chance: random.Random) -> str:
    """Files that versions replace, or files of changes in one of their two forms."""
    return chance.choice((insert, in_changes(insert), without_key(in_changes(insert))))


def look_at_all_times(
    stream: Scripted,
    expected: Mapping[str, Expected | ExpectedSessions],
    chance: random.Random,
    *,
    is_verified: bool,
) -> None:
    """Raises AssertionError where a reader sees something else than the definitions say."""
    before: float = -NEVER
    seen = dict.fromkeys(expected, 0)
    for batch in arrival(chance):
        if chance.random() < 0.3:
            stream.restart()
        stream.absorb(*batch)
        now = max([before, *(row[2] for row in batch)])
        for name, one in expected.items():
            due = one.absorb(batch, before, now)
            versions = stream.published(name)[seen[name] :]
            seen[name] += len(versions)
            ends = {version.end for version in versions}
            # Only changes are emitted, so that a version may have none.
            assert stream.plan.insert(name).emits_changes or ends == due, (name, one)
            assert len(versions) == len(ends), (name, one)
            assert _read(stream, name) == one.rows(), (name, one)
        before = now
    stream.stream.end()
    for name, one in expected.items():
        one.absorb([], before, NEVER)
        assert _read(stream, name) == one.rows(), (name, one)
    if is_verified:
        verdict = verify(stream.spark, stream.plan, stream.stream.home)
        assert verdict.is_proven, verdict


def _read(stream: Scripted, name: str) -> list[tuple[int, float, float, int, int]]:
    def minutes(text: str) -> float:
        return (from_datetime(datetime.fromisoformat(text)) - TEN) / MINUTE

    return sorted(
        (row["shop"], minutes(row["window_start"]), minutes(row["window_end"]), row["n"], row["users"])
        for row in stream.rows(name)
    )
