"""Backfill: windows in batch, published where none stood, repaired where nothing explains what stands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.mismatch import FAIL, REPAIR, REPORT
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.sinks import filesystem, sink_of
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Restate
from airflow_nrt.home.status import read_status
from tests.engine.conftest import Streamed
from tests.engine.no_spark import NO_SPARK
from tests.engine.oracle import Windowing, count_in, milliseconds
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    MORNING,
    Stream,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
)

WINDOWING = Windowing("CUMULATE", HOUR, 10 * MINUTE)


def fired(streamed: Streamed) -> int:
    last = streamed.home.log().position().operators[streamed.plan.operators[0].name].fired
    assert last is not None
    return last


def batch_rows(streamed: Streamed, start: int, end: int) -> list[tuple]:
    rows = count_in(WINDOWING, [[event for batch in streamed.batches for event in batch]], FEW)
    return [row for row in rows if start < milliseconds(row[2]) <= end]


def damage(streamed: Streamed, which: int) -> int:
    """Flips a cell; gives the window's end."""
    one = streamed.standing[which]
    streamed.rewrite(one, lambda rows: [{**rows[0], "n": rows[0]["n"] + 7}, *rows[1:]])
    assert one.end is not None
    return one.end


# ---------------------------------------------------------------------------------------------------- repair


def test_repair_makes_a_damaged_home_whole(spark, streamed: Streamed, monkeypatch) -> None:
    standing = streamed.standing
    damage(streamed, 3)
    streamed.file(standing[8]).unlink()
    streamed.rewrite(standing[10], lambda rows: [*rows, {**rows[0], "shop": 77}])
    everything = Interval(MORNING, fired(streamed))
    before = verify(spark, streamed.plan, streamed.home, everything)
    assert before.unexplained == 3

    renamed = recorded_renames(monkeypatch)
    result = backfill(spark, streamed.plan, streamed.home, everything, True, REPAIR)
    assert result.verdict is not None and result.verdict.is_proven
    assert result.verdict.equal == result.verdict.windows == before.windows and result.verdict.explained == 0
    assert rows_of(streamed.sink) == batch_rows(streamed, MORNING, fired(streamed))
    # Only what was not equal was published again, each window by one rename over the old file.
    assert {one.end for one in result.published} == set(before.inserts[0].unequal_ends)
    assert sorted(renamed) == sorted(str(streamed.file(one)) for one in result.published)
    assert {one.target for one in streamed.standing} == {one.target for one in standing}


def recorded_renames(monkeypatch) -> list[str]:
    renamed: list[str] = []
    rename = os.rename

    def recording(source, target) -> None:
        renamed.append(str(target))
        rename(source, target)

    monkeypatch.setattr(filesystem.os, "rename", recording)
    return renamed


@pytest.mark.parametrize("on_mismatch", [FAIL, REPORT])
def test_without_repair_nothing_is_touched(spark, streamed: Streamed, on_mismatch: str) -> None:
    end = damage(streamed, 3)
    last = streamed.home.log().last
    rows = rows_of(streamed.sink)
    result = backfill(spark, streamed.plan, streamed.home, Interval(MORNING, fired(streamed)), True, on_mismatch)
    assert result.verdict is not None and not result.verdict.is_proven
    assert result.verdict.inserts[0].bad[0].end == end
    assert not result.published and streamed.home.log().last == last and rows_of(streamed.sink) == rows


def test_honest_windows_are_left_alone(spark, streamed: Streamed) -> None:
    """Late rows explain them, and nobody asked to count the late rows after all."""
    last = streamed.home.log().last
    result = backfill(spark, streamed.plan, streamed.home, Interval(MORNING, fired(streamed)), True, REPAIR)
    assert result.verdict is not None and result.verdict.is_proven and result.verdict.explained > 0
    assert not result.published and streamed.home.log().last == last


def test_unchecked_backfill_restates_the_interval(spark, streamed: Streamed) -> None:
    start, end = MORNING + HOUR, MORNING + 2 * HOUR
    others = [row for row in rows_of(streamed.sink) if not start < milliseconds(row[2]) <= end]
    result = backfill(spark, streamed.plan, streamed.home, Interval(start, end), False)
    assert len(result.published) == 6 and result.verdict is None
    rows = rows_of(streamed.sink)
    assert [row for row in rows if start < milliseconds(row[2]) <= end] == batch_rows(streamed, start, end)
    assert [row for row in rows if not start < milliseconds(row[2]) <= end] == others
    entry = streamed.home.log().read(streamed.home.log().last)
    assert isinstance(entry.body, Restate) and entry.epoch is None
    assert verify(spark, streamed.plan, streamed.home).is_proven


def test_suspects_until_their_windows_are_over(spark, streamed: Streamed) -> None:
    """A difference in the hour that still runs puts what is carried on into doubt."""
    operator = streamed.plan.operators[0].name
    hour_over = fired(streamed) - fired(streamed) % HOUR + HOUR
    assert fired(streamed) % HOUR
    damage(streamed, -1)
    assert read_status(streamed.home).suspects == {}
    backfill(spark, streamed.plan, streamed.home, Interval(MORNING, fired(streamed)), True, REPAIR)
    assert read_status(streamed.home).suspects == {operator: hour_over}

    stream = Stream(spark, streamed.plan, streamed.home.path)
    later = random_events(5, 20, 10 * MINUTE, start=hour_over + 20 * MINUTE)
    stream.absorb(write_events(streamed.place / "events" / "later.csv", later))
    assert read_status(streamed.home).suspects == {}


def test_difference_in_an_hour_that_is_over_is_no_suspect(spark, streamed: Streamed) -> None:
    damage(streamed, 2)
    backfill(spark, streamed.plan, streamed.home, Interval(MORNING, fired(streamed)), True, REPAIR)
    assert read_status(streamed.home).suspects == {}


def test_stream_goes_on_after_a_repair(spark, streamed: Streamed) -> None:
    """A restatement stands between two commits of a living driver."""
    stream = Stream(spark, streamed.plan, streamed.home.path)
    damage(streamed, 3)
    backfill(spark, streamed.plan, streamed.home, Interval(MORNING, fired(streamed)), True, REPAIR)
    more = random_events(6, 60, HOUR, start=MORNING + 4 * HOUR)
    stream.absorb(write_events(streamed.place / "events" / "more.csv", more))
    stream.end()
    verdict = verify(spark, streamed.plan, streamed.home)
    assert verdict.is_proven and verdict.windows > len(streamed.batches)


# ---------------------------------------------------------------------------------------------------- never streamed


def never_streamed(place: Path):
    events = random_events(2, 200, 3 * HOUR)
    write_events(place / "events" / "a.csv", events[:120])
    write_events(place / "events" / "b.csv", events[120:])
    plan = plan_of(place, events_table(), curve_insert(WINDOWING.sql, FEW))
    return plan, Home.create(place / "home", plan), events


@pytest.mark.parametrize("check", [False, True])
def test_windows_that_nobody_streamed(spark, tmp_path: Path, check: bool) -> None:
    plan, home, events = never_streamed(tmp_path)
    start, end = MORNING + HOUR, MORNING + 2 * HOUR
    result = backfill(spark, plan, home, Interval(start, end), check)
    expected = [row for row in count_in(WINDOWING, [events], FEW) if start < milliseconds(row[2]) <= end]
    assert rows_of(tmp_path / "curve") == expected
    assert sum(one.rows for one in result.published) == len(expected)
    again = backfill(spark, plan, home, Interval(start, end), False)
    assert [one.target for one in again.published] == [one.target for one in result.published]
    assert rows_of(tmp_path / "curve") == expected


def test_stream_behind_a_backfill(spark, tmp_path: Path) -> None:
    """A home that a backfill has filled is streamed afterwards: the same windows, proven."""
    plan, home, events = never_streamed(tmp_path)
    backfill(spark, plan, home, Interval(MORNING, MORNING + 2 * HOUR), False)
    stream = Stream(spark, plan, home.path)
    stream.absorb(tmp_path / "events" / "a.csv")
    stream.absorb(tmp_path / "events" / "b.csv")
    stream.end()
    assert rows_of(tmp_path / "curve") == count_in(WINDOWING, [events], FEW)
    assert verify(spark, plan, home).is_proven


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (MORNING + HOUR, MORNING + HOUR, "is empty"),
        (MORNING + 2 * HOUR, MORNING + HOUR, "is reversed"),
        (MORNING, MORNING + 9 * HOUR, "are complete only up to"),
        (MORNING + MINUTE, MORNING + 2 * MINUTE, "no window of CUMULATE"),
    ],
)
def test_intervals_that_make_no_sense(spark, streamed: Streamed, start: int, end: int, words: str) -> None:
    last = streamed.home.log().last
    with pytest.raises(InputError, match=words):
        backfill(spark, streamed.plan, streamed.home, Interval(start, end), True, REPAIR)
    assert streamed.home.log().last == last


# ---------------------------------------------------------------------------------------------------- partitions


def partitioned(place: Path, hours: range, **options: str):
    table = events_table(**options).replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), ds STRING, hh STRING,")
    table = table.replace(") WITH", ") PARTITIONED BY (ds, hh) WITH")
    events = random_events(2, 200, 3 * HOUR)
    for hour in hours:
        inside = [event for event in events if (event.at - MORNING) // HOUR == hour]
        write_events(place / "events" / "ds=2024-06-18" / f"hh={hour:02d}" / "a.csv", inside)
    plan = plan_of(place, table, curve_insert(WINDOWING.sql, FEW))
    for insert in plan.inserts:
        sink_of(insert).check(NO_SPARK, Home.create(place / "home", plan), insert)
    return plan, Home.create(place / "home", plan), events


BY_HOUR = {"partition__time_extractor__timestamp_pattern": "$ds $hh:00:00"}


def test_only_partitions_that_can_hold_rows_are_read(spark, tmp_path: Path) -> None:
    plan, home, events = partitioned(tmp_path, range(3), **BY_HOUR)
    (tmp_path / "events" / "ds=2024-06-18" / "hh=00" / "a.csv").write_text("would stop a reader\n")
    start, end = MORNING + HOUR, MORNING + 2 * HOUR
    backfill(spark, plan, home, Interval(start, end), False)
    expected = [row for row in count_in(WINDOWING, [events], FEW) if start < milliseconds(row[2]) <= end]
    assert rows_of(tmp_path / "curve") == expected


def test_missing_partition(spark, tmp_path: Path) -> None:
    plan, home, _ = partitioned(tmp_path / "strict", range(2), **BY_HOUR)
    with pytest.raises(InputError, match="no partition for 2024-06-18 02:00:00"):
        backfill(spark, plan, home, Interval(MORNING + HOUR, MORNING + 3 * HOUR), False)
    assert home.log().last == -1

    plan, home, events = partitioned(tmp_path / "lenient", range(2), **BY_HOUR, partition__missing="ignore")
    result = backfill(spark, plan, home, Interval(MORNING + HOUR, MORNING + 3 * HOUR), False)
    assert "no partition for 2024-06-18 02:00:00" in result.notes[0]
    there = [event for event in events if event.at < MORNING + 2 * HOUR]
    expected = [row for row in count_in(WINDOWING, [there], FEW) if milliseconds(row[2]) > MORNING + HOUR]
    assert rows_of(tmp_path / "lenient" / "curve") == expected
