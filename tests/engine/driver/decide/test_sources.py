"""Watermarks of parts, idle sources and ended ones, decided in memory beside a definition of their own."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.testing.memory import MemoryHome, MemoryStream, Row
from tests.engine.timed import EVENTS, MINUTE, TEN

SOURCES = ("events", "others")
BOTH = """
CREATE TABLE counts (shop INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), n BIGINT, users BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/counts', 'format' = 'json');
CREATE VIEW all_events AS SELECT shop, user_id, ts FROM events UNION ALL SELECT shop, user_id, ts FROM others;
INSERT INTO counts
SELECT shop, window_start, window_end, COUNT(*), COUNT(DISTINCT user_id)
FROM TABLE(TUMBLE(TABLE all_events, DESCRIPTOR(ts), INTERVAL '10' MINUTE))
GROUP BY shop, window_start, window_end;
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    script = EVENTS + EVENTS.replace("events", "others") + BOTH
    return plan_script(script, {"DATA": "/data"}, "report", Path("/data"))


@dataclass
class Part:
    watermark: int | None = None
    idle: bool = False


@dataclass
class Definition:
    """Watermarks as documented: of an operator the least of its active sources, of a source the least of its active
    parts; neither goes back."""

    parts: dict[str, dict[str, Part]] = field(default_factory=lambda: {name: {} for name in SOURCES})
    sources: dict[str, Part] = field(default_factory=lambda: {name: Part() for name in SOURCES})
    ended: set[str] = field(default_factory=set)
    operator: int | None = None
    rows: list[tuple[Row, int | None]] = field(default_factory=list)

    def batch(self, source: str, rows: dict[str, list[Row]]) -> None:
        self.rows += [(row, self.operator) for found in rows.values() for row in found]
        for part, found in rows.items():
            state = self.parts[source].setdefault(part, Part(self.sources[source].watermark))
            state.idle = False
            state.watermark = max([row.at for row in found] + [at for at in [state.watermark] if at is not None])
        self.sources[source].idle = False
        self._move(source)

    def idle(self, source: str, parts: list[str]) -> None:
        for part in parts:
            self.parts[source][part].idle = True
        self.sources[source].idle |= not parts
        self._move(source)

    def end(self, source: str) -> None:
        self.ended.add(source)
        self._move(source)

    def _move(self, source: str) -> None:
        state = self.sources[source]
        state.watermark = _least(list(self.parts[source].values()), state.watermark)
        if self.ended == set(SOURCES):
            self.operator = END_OF_TIME
            return
        active = [self.sources[name] for name in SOURCES if name not in self.ended]
        self.operator = _least(active, self.operator)

    def table(self) -> dict[int, set[tuple[object, int]]]:
        """The windows that are complete, with the numbers of their rows by key."""
        found: dict[int, dict[object, int]] = {}
        for row, before in self.rows:
            end = (row.at // (10 * MINUTE) + 1) * 10 * MINUTE
            complete = self.operator is not None and end - 1 <= self.operator
            late = before is not None and end - 1 <= before
            if complete and not late:
                found.setdefault(end, {}).setdefault(row.key, 0)
                found[end][row.key] += 1
        return {end: set(keys.items()) for end, keys in found.items()}


def _least(states: list[Part], before: int | None) -> int | None:
    active = [one.watermark for one in states if not one.idle]
    if not active or None in active:
        return before
    least = min(at for at in active if at is not None)
    return least if before is None else max(before, least)


@pytest.mark.parametrize("seed", range(150))
def test_watermarks_and_windows_are_those_of_the_definition(plan: Plan, seed: int) -> None:
    chance = random.Random(seed)
    home, definition = MemoryHome(plan), Definition()
    stream = MemoryStream(home)
    minute = dict.fromkeys(SOURCES, 0)
    for _ in range(chance.randint(8, 20)):
        source = chance.choice([name for name in SOURCES if name not in definition.ended] or [SOURCES[0]])
        known = definition.parts[source]
        event = chance.choices(("rows", "idle", "idle parts", "end", "restart"), (8, 1, 2, 0.4, 2))[0]
        if source in definition.ended:
            event = "restart"
        if event == "rows":
            parts = chance.sample("abc", chance.randint(1, 3))
            minute[source] += chance.randint(0, 9)
            rows = {
                part: [
                    Row(chance.randint(1, 2), 1, TEN + (minute[source] - chance.randint(0, 15)) * MINUTE)
                    for _ in range(chance.randint(1, 3))
                ]
                for part in parts
            }
            stream.rows(source, rows)
            definition.batch(source, rows)
        elif event == "idle":
            stream.idle(source)
            definition.idle(source, [])
        elif event == "idle parts" and known:
            quiet = chance.sample(sorted(known), chance.randint(1, len(known)))
            stream.idle(source, quiet)
            definition.idle(source, quiet)
        elif event == "end":
            stream.ended(source)
            definition.end(source)
        elif event == "restart":
            stream = MemoryStream(home)
        (operator,) = stream.position.operators.values()
        assert operator.watermark == definition.operator
        shown = {end: {(key, n) for key, n, _ in rows} for end, rows in home.table("counts").items()}
        assert shown == definition.table()


def test_a_part_that_is_idle_already_makes_no_entry(plan: Plan) -> None:
    home = MemoryHome(plan)
    stream = MemoryStream(home)
    stream.rows("events", {"a": [Row(1, 1, TEN)], "b": [Row(1, 1, TEN)]})
    stream.idle("events", ["a"])
    entries = len(home.entries)
    stream.idle("events", ["a", "unknown"])
    stream.idle("others")
    stream.idle("others")
    assert len(home.entries) == entries + 1
