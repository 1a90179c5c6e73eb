"""Random histories of a stream in memory: whatever arrives, dies, or is away, sinks hold what the definitions say.

Covers airflow_nrt/testing/memory.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.errors import FencedError
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.publish.owing import Attempt, at_once
from airflow_nrt.home.log.entries import Entry, Restate
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.testing.memory import MemoryHome, MemoryStream, Row
from tests.engine.driver.agree.away import Away
from tests.engine.driver.decide.crashing import Crash, crash_at
from tests.engine.due_versions import GRIDS, NEVER, Expected, arrival, random_timing
from tests.engine.timed import EVENTS, TEN, timed_insert

TOGETHER = 8
HISTORIES = 4
"""So many inserts of one stream, and so many histories of it."""


@cache
def plan_of_timings(seed: int) -> tuple[Plan, dict[str, Expected], Any]:
    """A plan, its inserts, and the state of chance after it. To plan takes longer than a history: several tests try
    histories of the same plan."""
    chance = random.Random(seed)
    expected = {f"t{n}": Expected(chance.choice(GRIDS), random_timing(chance)) for n in range(TOGETHER)}
    inserts = (timed_insert(one.grid.sql, one.timing, name) for name, one in expected.items())
    script = "\n".join([EVENTS, *inserts])
    return plan_script(script, {"DATA": "/data"}, "report", Path("/data")), expected, chance.getstate()


def chance_of(seed: int) -> random.Random:
    """What follows after the plan of a seed."""
    chance = random.Random()
    chance.setstate(plan_of_timings(seed)[2])
    return chance


def rows_of(batch: list[tuple[int, int, float]]) -> list[Row]:
    return [Row(shop, user, TEN + int(minute * MINUTE)) for shop, user, minute in batch]


def seen(home: MemoryHome, insert: str) -> list[tuple[int, float, float, int, int]]:
    window = home.plan.insert(insert).window
    assert window is not None
    return sorted(
        (shop, (window.start(end) - TEN) / MINUTE, (end - TEN) / MINUTE, rows, users)
        for end, counts in home.table(insert).items()
        for shop, rows, users in counts
    )


def versions_since(home: MemoryHome, insert: str, entry: int) -> Counter[float]:
    published = (one for each in home.entries[entry:] for one in each.published if one.insert == insert)
    return Counter((one.end - TEN) / MINUTE for one in published if one.end is not None)


def fresh(expected: Mapping[str, Expected]) -> dict[str, Expected]:
    return {name: Expected(one.grid, one.timing) for name, one in expected.items()}


@pytest.mark.parametrize("seed", range(50))
def test_whenever_a_reader_looks(seed: int) -> None:
    """Each batch may meet a driver that dies before any of its actions; its successor goes on."""
    chance = chance_of(seed)
    plan, timings, _ = plan_of_timings(seed)
    for _ in range(HISTORIES):
        expected = fresh(timings)
        home = MemoryHome(plan)
        stream = MemoryStream(home)
        before: float = -NEVER
        for number, batch in enumerate(arrival(chance)):
            entries = len(home.entries)
            try:
                if chance.random() < 0.5:
                    stream = MemoryStream(home, before=crash_at(chance.randrange(40)))
                stream.rows("events", rows_of(batch))
            except Crash:
                stream = MemoryStream(home)
                if stream.position.sources["events"].files == number:
                    stream.rows("events", rows_of(batch))
            assert stream.position.sources["events"].files == number + 1
            now = max([before, *(row[2] for row in batch)])
            for name, one in expected.items():
                due = one.absorb(batch, before, now)
                assert versions_since(home, name, entries) == Counter(due), (name, one)
                assert seen(home, name) == one.rows(), (name, one)
            before = now
        try:
            stream.ended("events")
        except Crash:
            stream = MemoryStream(home)
            stream.ended("events")
        for name, one in expected.items():
            one.absorb([], before, NEVER)
            assert seen(home, name) == one.rows(), (name, one)
        assert home.staged == {}


@pytest.mark.parametrize("seed", range(20))
def test_a_zombie_publishes_nothing(seed: int) -> None:
    """An older driver goes on with the same batch as its successor: its next entry is refused."""
    chance = chance_of(seed)
    plan, timings, _ = plan_of_timings(seed)
    home, expected = MemoryHome(plan), fresh(timings)
    before: float = -NEVER
    for batch in arrival(chance):
        zombie, stream = MemoryStream(home), MemoryStream(home)
        first, second = chance.choice([(zombie, stream), (stream, zombie)])
        for one in (first, second):
            if one is zombie:
                with pytest.raises(FencedError, match="a newer driver"):
                    one.rows("events", rows_of(batch))
            else:
                one.rows("events", rows_of(batch))
        now = max([before, *(row[2] for row in batch)])
        for name, one in expected.items():
            one.absorb(batch, before, now)
            assert seen(home, name) == one.rows()
        before = now


@pytest.mark.parametrize("seed", range(20))
def test_a_restatement_in_between_changes_no_position(seed: int) -> None:
    chance = chance_of(seed)
    plan, timings, _ = plan_of_timings(seed)
    home, expected = MemoryHome(plan), fresh(timings)
    stream, before = MemoryStream(home), float(-NEVER)
    restated = 0
    for batch in arrival(chance):
        if chance.random() < 0.7:
            home.log().append(Restate((), (), "test", {}, len(home.entries) - 1), None)
            restated += 1
        stream.rows("events", rows_of(batch))
        now = max([before, *(row[2] for row in batch)])
        for name, one in expected.items():
            one.absorb(batch, before, now)
            assert seen(home, name) == one.rows()
        before = now
    assert len(stream.writer.foreign_entries) == restated


# ---------------------------------------------------------------------------------------------------- sinks


@pytest.mark.parametrize("seed", range(50))
def test_a_sink_that_is_away_holds_back_its_own_results_alone(seed: int) -> None:
    chance = chance_of(seed)
    plan, timings, _ = plan_of_timings(seed)
    home, expected, away = MemoryHome(plan), fresh(timings), Away()
    stream, before = MemoryStream(home, attempt=away.attempt), float(-NEVER)
    for batch in arrival(chance):
        away.names = {name for name in expected if chance.random() < 0.3}
        if chance.random() < 0.3:
            # What it owed, its successor finds in the log.
            away = Away()
            stream = MemoryStream(home, attempt=away.attempt)
        stream.rows("events", rows_of(batch))
        now = max([before, *(row[2] for row in batch)])
        for name, one in expected.items():
            one.absorb(batch, before, now)
            if name not in away.owing.first:
                assert seen(home, name) == one.rows(), name
        away.now += chance.choice((0.5, 40))
        away.pay(stream)
        before = now
    away.names = set()
    away.now += 60
    away.pay(stream)
    assert not away.owing
    for name, one in expected.items():
        assert seen(home, name) == one.rows()
    assert home.staged == {}


def test_attempts_are_rarer_and_rarer_up_to_half_a_minute() -> None:
    plan = plan_of_timings(1)[0]
    away, insert = Away(), plan.inserts[0]
    waits = []
    for _ in range(7):
        away.owing.hold(insert, UnreachableError("away"))
        start = away.now
        while not list(away.owing.due()):
            away.now += 1
        waits.append(away.now - start)
    assert waits == [1, 2, 4, 8, 16, 30, 30]


def test_at_once_owes_nothing() -> None:
    plan = plan_of_timings(1)[0]
    attempt: Attempt = at_once
    assert attempt(plan.inserts[0], Entry(0, "lease", 1, 0, "", None), lambda: None)  # type: ignore[arg-type]
