"""Random histories of each kind of operator in memory: no cut into batches and no crash changes what readers see.

That Spark computes what memory does is tried in `agree/`. Covers airflow_nrt/testing/memory.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from airflow_nrt.home.log.entries import Commit
from tests.engine.driver.agree.histories import Event, history
from tests.engine.driver.agree.kinds_of_rows import OF_ROWS
from tests.engine.driver.agree.kinds_of_versions import OF_VERSIONS
from tests.engine.driver.agree.kinds_of_windows import OF_WINDOWS
from tests.engine.driver.agree.streams import Arrived, InMemory
from tests.engine.driver.decide.crashing import Crash, crash_at

KINDS = {**OF_WINDOWS, **OF_ROWS, **OF_VERSIONS}
HISTORIES = range(3)


def commits(stream: InMemory) -> int:
    return sum(isinstance(entry.body, Commit) for entry in stream.entries)


def survive(stream: InMemory, event: Event, chance: random.Random) -> None:
    """The event meets a driver that may die before any of its actions. Its successor goes on."""
    known = commits(stream)
    try:
        if chance.random() < 0.6:
            stream.restart(crash_at(chance.randrange(25)))
        event(stream)
    except Crash:
        stream.restart()
        if commits(stream) == known:
            event(stream)


@pytest.mark.parametrize("seed", HISTORIES)
@pytest.mark.parametrize("name", KINDS)
def test_a_driver_that_dies_changes_nothing_that_readers_see(name: str, seed: int) -> None:
    calm, hit = InMemory(KINDS[name]), InMemory(KINDS[name])
    sources = [one.name for one in calm.plan.sources]
    chance = random.Random(f"{name} {seed}")
    for event in history(random.Random(f"{name} {seed}"), sources, 6):
        event(calm)
        survive(hit, event, chance)
        assert hit.shown() == calm.shown()
        assert hit.stream.position.late == calm.stream.position.late
    assert hit.home.staged == calm.home.staged == {}


# ---------------------------------------------------------------------------------------------------- cuts


def in_time(chance: random.Random, sources: Sequence[str]) -> list[tuple[str, Arrived]]:
    """Rows of half an hour, in the order of their times."""
    times = sorted(chance.sample(range(30 * 60_000), 24))
    shops = (1, 1, 2, 3, None)
    return [(chance.choice(sources), (chance.choice(shops), chance.randint(1, 3), at / 60_000)) for at in times]


def table(stream: InMemory) -> Counter[Any]:
    """What a reader of the sink has in the end."""
    found: Counter[Any] = Counter()
    windows: dict[str, list[Any]] = {}
    for entry in stream.entries:
        for one in entry.published:
            rows = stream.content(one) or []
            if one.end is not None:
                windows[one.target] = [(one.end, row) for row in rows]
            for row in rows if one.end is None else ():
                sign, row = row if stream.kind.changes else ("+", row)
                found[row] += 1 if sign == "+" else -1
    found.update(row for rows in windows.values() for row in rows)
    return found


def streamed(name: str, rows: Sequence[tuple[str, Arrived]], cuts: Sequence[int]) -> Counter[Any]:
    """The table of the rows in batches that end at these places."""
    stream = InMemory(KINDS[name])
    stream.name_shops({1: "a", 2: "b"})
    sources = [one.name for one in stream.plan.sources]
    for first, last in zip([0, *cuts], [*cuts, len(rows)]):
        stream.now += 1
        for source in sources:
            batch = [row for own, row in rows[first:last] if own == source]
            if batch:
                stream.rows(source, batch)
    for source in sources:
        stream.end(source)
    assert stream.stream.position.late == 0
    return table(stream)


@pytest.mark.parametrize("seed", HISTORIES)
@pytest.mark.parametrize("name", KINDS)
def test_rows_in_time_give_one_table_whatever_the_cut(name: str, seed: int) -> None:
    chance = random.Random(f"{name} {seed}")
    rows = in_time(chance, [one.name for one in KINDS[name].in_memory.sources])
    whole = streamed(name, rows, [])
    assert whole
    for batches in (3, 8):
        assert streamed(name, rows, sorted(chance.sample(range(1, len(rows)), batches))) == whole
