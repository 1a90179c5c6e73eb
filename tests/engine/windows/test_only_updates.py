"""CUMULATE with emitOnlyOnUpdate: a window is there where its last step brought rows, and the last one always.

steps of a key    | · | · |   |   | · |   |       | · |   |   |   |   |   |
windows            ^   ^           ^       ^        ^                   ^
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow_nrt.engine.verify.verify import verify
from tests.engine.oracle import Windowing, count_in, milliseconds
from tests.engine.reports import (
    DELAY,
    FEW,
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    arriving,
    curve_insert,
    cut,
    events_table,
    insert_result,
    ordered,
    plan_of,
    random_events,
    rows_of,
    source_file,
)

STEP = 10 * MINUTE


@dataclass(frozen=True)
class OnUpdate(Windowing):
    @property
    def sql(self) -> str:
        return f"CUMULATE(INTERVAL '10' MINUTE, INTERVAL '1' HOUR, INTERVAL '{self.offset // MINUTE}' MINUTE, TRUE)"


HOURS = OnUpdate("CUMULATE", HOUR, STEP)
SHIFTED = OnUpdate("CUMULATE", HOUR, STEP, 20 * MINUTE)


def expected(events: list[Event]) -> list[tuple[Any, ...]]:
    """What every window has, of those that were updated or are the last of their start."""
    rows = count_in(SHIFTED, [events], FEW)
    stepped = {(event.shop, event.at // STEP) for event in events}

    def is_there(shop: int | None, start: int, end: int) -> bool:
        return end - start == HOUR or (shop, end // STEP - 1) in stepped

    return [row for row in rows if is_there(row[0], milliseconds(row[1]), milliseconds(row[2]))]


def test_in_any_batches(spark, tmp_path: Path) -> None:
    events = random_events(31, 40, 4 * HOUR)
    rows = expected(events)
    assert 0 < len(rows) < len(count_in(SHIFTED, [events], FEW))
    plan = plan_of(tmp_path, events_table(), curve_insert(SHIFTED.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, cut(arriving(events, 31, DELAY), 31, 6))
    stream.end()
    assert rows_of(tmp_path / "curve") == rows
    files = sorted((tmp_path / "events").glob("*.csv"))
    batch = insert_result(spark, plan, plan.inserts[0], {"events": [source_file(file) for file in files]})
    assert ordered(batch.drop("_nrt_end").collect()) == rows


def test_a_late_row_updates_the_window_that_it_counts_in(spark, tmp_path: Path) -> None:
    """The row of 00:05 comes when the windows up to 00:20 have fired: 00:30 has it, and 01:00."""

    def event(n: int, minute: int) -> Event:
        return Event(n, 1, n, "a", None, None, MORNING + minute * MINUTE)

    plan = plan_of(tmp_path, events_table(), curve_insert(HOURS.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [[event(1, 1), event(2, 26)], [event(3, 5)], [event(4, 90)]])
    stream.end()
    counts = {(row[2].hour, row[2].minute): row[3] for row in rows_of(tmp_path / "curve")}
    assert counts == {(0, 10): 1, (0, 30): 3, (1, 0): 3, (1, 40): 1, (2, 0): 1}
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.late_rows == 1, verdict
