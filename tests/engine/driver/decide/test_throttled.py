"""Changes that wait: emitted at their interval or number of rows, whatever the batches and whenever a driver dies."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.testing.memory import MemoryHome, MemoryStream, Row
from tests.engine.timed import EVENTS, MINUTE, TEN

TABLE = """
CREATE TABLE {name} (shop INT, n BIGINT, users BIGINT) WITH ('connector' = 'print', 'update-rate' = '{rate}');
INSERT INTO {name} SELECT shop, COUNT(*), COUNT(DISTINCT user_id) FROM events GROUP BY shop;
"""
MINUTES, ROWS = 3, 7


@pytest.fixture(scope="module")
def plan() -> Plan:
    timed, by_rows = (
        TABLE.format(name="timed", rate=f"{MINUTES} min"),
        TABLE.format(name="by_rows", rate=f"count({ROWS})"),
    )
    plain = TABLE.format(name="plain", rate="1 s").replace(", 'update-rate' = '1 s'", "")
    return plan_script(EVENTS + timed + by_rows + plain, {"DATA": "/data"}, "report", Path("/data"))


class Live:
    """A stream whose clock the test sets (minutes)."""

    def __init__(self, plan: Plan) -> None:
        self.home = MemoryHome(plan)
        self.minute = 0
        self.rows: list[Row] = []
        self.restart()

    def restart(self) -> None:
        self.stream = MemoryStream(self.home, clock=lambda: self.minute * MINUTE)

    def absorb(self, *rows: Row) -> None:
        self.rows += rows
        self.stream.rows("events", rows)

    def counts(self) -> list[tuple[object, int, int]]:
        keys = {row.key for row in self.rows}
        found = [[row.value for row in self.rows if row.key == key] for key in keys]
        return sorted((key, len(values), len({*values})) for key, values in zip(keys, found))

    def emissions(self, insert: str) -> int:
        return sum(any(one.insert == insert for one in entry.published) for entry in self.home.entries)


@pytest.mark.parametrize("seed", range(100))
def test_what_waits_is_what_was_counted_since(plan: Plan, seed: int) -> None:
    chance, live = random.Random(seed), Live(plan)
    emitted: dict[str, list[object]] = {"timed": [], "by_rows": []}
    since: int | None = None
    rows_since = 0
    for _ in range(15):
        if chance.random() < 0.2:
            live.restart()
        live.minute += chance.choice((0, 0, 1, 2, 5))
        if chance.random() < 0.6:
            rows = [Row(chance.randint(1, 3), chance.randint(1, 3), TEN) for _ in range(chance.randint(1, 4))]
            since = live.minute if since is None else since
            live.absorb(*rows)
            rows_since += len(rows)
        live.stream.pass_time()
        assert live.home.folded("plain") == live.counts()
        if since is not None and live.minute >= since + MINUTES and live.counts() != emitted["timed"]:
            emitted["timed"], since = live.counts(), live.minute
        if rows_since >= ROWS:
            emitted["by_rows"], rows_since = live.counts(), 0
        for name, expected in emitted.items():
            assert live.home.folded(name) == expected, name
    live.stream.ended("events")
    for name in ("timed", "by_rows", "plain"):
        assert live.home.folded(name) == live.counts()
        assert not live.stream.position.versions.get(name) or not live.stream.position.versions[name].shown


def test_each_interval_has_one_emission(plan: Plan) -> None:
    live = Live(plan)
    for minute in range(31):
        live.minute = minute
        live.absorb(Row(1, minute, TEN))
        live.stream.pass_time()
    assert live.emissions("timed") == 30 // MINUTES
    assert live.emissions("by_rows") == 31 // ROWS
    assert live.emissions("plain") == 31
