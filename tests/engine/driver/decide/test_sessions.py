"""Sessions in memory, whatever the cut and whenever a driver dies: those of all rows that were not late."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from airflow_nrt.model.plan import Plan
from airflow_nrt.model.result_timing import AT_ONCE
from airflow_nrt.sql.load import plan_script
from airflow_nrt.testing.memory import MemoryHome, MemoryStream, Row
from tests.engine.timed import EVENTS, MINUTE, TEN, timed_insert

GAP = 4


@pytest.fixture(scope="module")
def plan() -> Plan:
    insert = timed_insert(f"SESSION(INTERVAL '{GAP}' MINUTE)", AT_ONCE)
    return plan_script(EVENTS + insert, {"DATA": "/data"}, "report", Path("/data"))


def sessions_of(rows: list[Row]) -> list[tuple[object, int, int, int]]:
    """By definition: rows of a key in order of time, cut where the next one comes a gap later or more."""
    found: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: (row.key, row.at)):
        if found and found[-1][-1].key == row.key and row.at - found[-1][-1].at <= GAP * MINUTE:
            found[-1].append(row)
        else:
            found.append([row])
    return sorted((one[0].key, one[0].at, one[-1].at + GAP * MINUTE, len(one)) for one in found)


@pytest.mark.parametrize("seed", range(60))
def test_all_sessions_are_those_of_all_rows(plan: Plan, seed: int) -> None:
    chance = random.Random(seed)
    # A row at the very end of a session extends it only if the session has not fired by then.
    times = (chance.randrange(90 * MINUTE) for _ in range(30))
    rows = [Row(chance.randint(1, 2), chance.randint(1, 3), TEN + at) for at in times]
    rows.sort(key=lambda row: row.at)
    home = MemoryHome(plan)
    stream = MemoryStream(home)
    while rows:
        count = chance.randint(1, 8)
        batch, rows = rows[:count], rows[count:]
        if chance.random() < 0.3:
            stream = MemoryStream(home)
        stream.rows("events", batch)
    stream.ended("events")
    arrived = [row for parts in home.rows.values() for found in parts.values() for row in found]
    shown = [(*key, n) for slots in home.windows["counts"].values() for key, n, _ in slots]
    assert stream.position.late == 0
    assert sorted(shown) == sessions_of(arrived)


def test_a_row_that_extends_an_open_session_is_not_late(plan: Plan) -> None:
    home = MemoryHome(plan)
    stream = MemoryStream(home)
    stream.rows("events", [Row(1, 1, TEN + 5 * MINUTE)])
    stream.rows("events", [Row(2, 1, TEN + 8 * MINUTE)])
    stream.rows("events", [Row(1, 2, TEN + 2 * MINUTE), Row(2, 2, TEN)])
    stream.ended("events")
    (first, second) = (rows for _, rows in sorted(home.windows["counts"].items()))
    assert {*first} == {((1, TEN + 2 * MINUTE, TEN + 9 * MINUTE), 2, 2)}
    assert {*second} == {((2, TEN + 8 * MINUTE, TEN + 12 * MINUTE), 1, 1)}
    assert stream.position.dropped == 1


def test_a_row_of_an_open_session_stays_where_its_time_has_fired(plan: Plan) -> None:
    home = MemoryHome(plan)
    stream = MemoryStream(home)
    stream.rows("events", [Row(1, 1, TEN + 8 * MINUTE), Row(2, 1, TEN), Row(2, 1, TEN + 10 * MINUTE)])
    stream.rows("events", [Row(1, 2, TEN + 5 * MINUTE)])
    stream.rows("events", [Row(3, 1, TEN + 11 * MINUTE)])
    stream.ended("events")
    shown = [row for slot in home.windows["counts"].values() for row in slot]
    assert ((1, TEN + 5 * MINUTE, TEN + 12 * MINUTE), 2, 2) in shown
    assert stream.position.late == 0
