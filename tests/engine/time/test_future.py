"""A row from the year 2099 must not end the day; a source that falls silent is noted, and wakes up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.entries import Tick
from tests.engine.reports import (
    DAY,
    DELAY,
    FEW,
    HOUR,
    MINUTE,
    MORNING,
    Event,
    Stream,
    curve_insert,
    events_table,
    plan_of,
    rows_of,
    write_events,
)

TUMBLE = "TUMBLE(INTERVAL '1' HOUR)"
NOON = MORNING + 12 * HOUR


def event(at: int, user: int = 1) -> Event:
    return Event(1, 1, user, "a", None, None, at)


def live(spark, place: Path, clock_at: int, *settings: str, **options: str) -> Stream:
    table = events_table(source__monitor_interval="1 s", **options)
    plan = plan_of(place, *settings, table, curve_insert(TUMBLE, FEW))
    return Stream(spark, plan, place / "home", clock=lambda: clock_at)


@pytest.mark.parametrize(
    ("zone", "options", "last"),
    [
        ("UTC", {}, NOON + HOUR),
        ("Asia/Shanghai", {}, NOON + 9 * HOUR),
        ("UTC", {"scan__watermark__max_ahead": "10 min"}, NOON + 10 * MINUTE),
    ],
)
def test_rows_ahead_of_the_clock_are_rejected(spark, tmp_path: Path, zone: str, options, last: int) -> None:
    stream = live(spark, tmp_path, NOON, f"SET 'table.local-time-zone' = '{zone}';", **options)
    rows = [event(NOON), event(last), event(last + 1), event(MORNING + 75 * 365 * DAY)]
    stream.absorb(write_events(tmp_path / "events" / "a.csv", rows))
    state = stream.driver.position.sources["events"]
    assert (state.rows, state.rejected, state.watermark) == (4, 2, last - DELAY)
    assert verify(spark, stream.plan, stream.home).is_proven


def test_without_a_zone_the_clock_furthest_ahead_counts(spark, tmp_path: Path) -> None:
    stream = live(spark, tmp_path, NOON)
    stream.absorb(write_events(tmp_path / "events" / "a.csv", [event(NOON + 15 * HOUR), event(NOON + 15 * HOUR + 1)]))
    assert stream.driver.position.sources["events"].rejected == 1


def test_the_rest_of_the_day_goes_on(spark, tmp_path: Path) -> None:
    stream = live(spark, tmp_path, NOON)
    stream.absorb(write_events(tmp_path / "events" / "a.csv", [event(MORNING), event(MORNING + 75 * 365 * DAY)]))
    stream.absorb(write_events(tmp_path / "events" / "b.csv", [event(MORNING + MINUTE, 2), event(MORNING + 2 * HOUR)]))
    assert [row[3:5] for row in rows_of(tmp_path / "curve")] == [(2, 2)]
    assert stream.driver.position.late == 0


def test_bounded_input_is_not_guarded(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE, FEW))
    stream = Stream(spark, plan, tmp_path / "home", clock=lambda: NOON)
    stream.absorb(write_events(tmp_path / "events" / "a.csv", [event(MORNING + 75 * 365 * DAY)]))
    stream.end()
    assert len(rows_of(tmp_path / "curve")) == 1


def test_idle_source_is_noted_once_and_wakes_up(spark, tmp_path: Path) -> None:
    stream = live(spark, tmp_path, NOON)
    stream.absorb(write_events(tmp_path / "events" / "a.csv", [event(MORNING)]))
    before = len(stream.entries)
    stream.driver.note("events", idle=True)
    stream.driver.note("events", idle=True)
    assert [isinstance(entry.body, Tick) for entry in stream.entries[before:]] == [True]
    assert stream.driver.position.sources["events"].idle
    stream.absorb(write_events(tmp_path / "events" / "b.csv", [event(MORNING + 2 * HOUR)]))
    assert not stream.driver.position.sources["events"].idle
    assert len(rows_of(tmp_path / "curve")) == 1
    assert verify(spark, stream.plan, stream.home).is_proven
