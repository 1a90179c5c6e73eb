"""Row windows of one SELECT that wait for different things: any frames, in any cut, are what brute force says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from tests.engine.reports import (
    DELAY,
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    arriving,
    cut,
    events_table,
    plan_of,
    random_events,
    rows_of,
)
from tests.engine.windows.framed import BEFORE_TIME, modelled, query, random_frames
from tests.engine.windows.streamed import Case, any_cut

COLUMNS = "id BIGINT, s0 BIGINT, s1 BIGINT, s2 BIGINT"


def in_time(batches: list[list[Event]]) -> list[Event]:
    """The rows that the watermark had not passed when their batch began."""
    found, watermark = [], BEFORE_TIME
    for batch in batches:
        found += [row for row in batch if row.at > watermark]
        watermark = max([watermark, *(row.at - DELAY for row in batch)])
    return found


@any_cut
def test_any_frames_in_any_cut(spark, seed: int, batches: int) -> None:
    frames = random_frames(seed)
    events = [replace(row, at=row.at // MINUTE * MINUTE) for row in random_events(seed, 60, HOUR)]
    arrived = cut(arriving(events, seed, 4 * MINUTE, late=0.1), seed, batches)
    with TemporaryDirectory() as directory:
        place = Path(directory)
        plan = plan_of(place, events_table(), Case(COLUMNS, query(frames)).insert("around"))
        Stream(spark, plan, place / "home").absorb_batches(place, arrived[:1])
        stream = Stream(spark, plan, place / "home")
        stream.absorb_batches(place, arrived[1:])
        stream.end()
        assert {row[0]: row[1:] for row in rows_of(place / "around")} == modelled(frames, in_time(arrived))
        verdict = verify(spark, plan, stream.home)
        assert verdict.is_proven, verdict


def test_a_row_waits_with_what_it_has(spark, tmp_path: Path) -> None:
    """Of what its other frames looked at nothing is kept for it, however long it waits."""
    select = """SELECT id, LEAD(id) OVER (PARTITION BY shop ORDER BY ts),
        COUNT(*) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '10' MINUTE PRECEDING AND CURRENT ROW) FROM events"""
    plan = plan_of(tmp_path, events_table(), Case("id BIGINT, next BIGINT, n BIGINT", select).insert("around"))
    stream = Stream(spark, plan, tmp_path / "home")
    # Shop 1 comes first, and then not for 40 minutes.
    minutes = [(0, 1), (4, 2), (10, 2), (20, 2), (30, 2), (40, 1), (60, 2)]
    shown, held = [], []
    for n, (minute, shop) in enumerate(minutes):
        stream.absorb_batches(tmp_path, [[Event(n, shop, 1, "a", None, None, MORNING + minute * MINUTE)]])
        shown.append(rows_of(tmp_path / "around"))
        states = stream.driver.position.operators.values()
        held.append(sum(file.rows for state in states for file in (*state.rows, *state.closed)))
    assert shown[3:5] == [[(1, 2, 2)], [(1, 2, 2), (2, 3, 3)]]
    assert shown[-1] == [(0, 5, 1), (1, 2, 2), (2, 3, 3), (3, 4, 2)]
    assert max(held[4:]) <= max(held[:4])
    # What fires in this minute began to wait long before.
    backfill(spark, plan, stream.home, Interval(MORNING + 40 * MINUTE, MORNING + 41 * MINUTE), False)
    stream.end()
    assert rows_of(tmp_path / "around") == [*shown[-1], (4, 6, 2), (5, None, 2), (6, None, 1)]
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven, verdict
