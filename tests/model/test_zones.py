"""Wall clocks that skip an hour and show one twice, against every instant around their changes."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_nrt.basics.instants import END_OF_TIME, format_instant, parse_instant
from airflow_nrt.model.windows import cumulate, hop, is_complete, tumble
from airflow_nrt.model.zones import (
    foreign_zone,
    is_skipped,
    parse_wall_clock,
    read_zone,
    wall_clock,
    wall_clock_passed,
)

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
FOUR_CENTURIES = 146_097 * DAY
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
ZONES = (
    "America/New_York", "Europe/Berlin", "Asia/Shanghai", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia",
    "Africa/Casablanca", "America/Sao_Paulo",
)  # fmt: skip
"""Half an hour of daylight saving, half an hour in the offset, a day that never was, and a change back in spring."""
WINDOWS = (tumble(15 * MINUTE), tumble(HOUR), tumble(DAY), hop(10 * MINUTE, 30 * MINUTE), cumulate(30 * MINUTE, DAY))


def shown(zone: str, instant: int) -> int:
    """What Python's clock shows."""
    moment = (EPOCH + timedelta(milliseconds=instant)).astimezone(ZoneInfo(zone))
    return (moment.replace(tzinfo=timezone.utc) - EPOCH) // timedelta(milliseconds=1)


def offset(zone: str, instant: int) -> int:
    return shown(zone, instant) - instant


@cache
def changes(zone: str) -> list[int]:
    """The hours in which the clock of a zone changed between 2005 and 2030; one of them where it never did."""
    first, last = parse_instant("2005-01-01"), parse_instant("2030-01-01")
    days = [at for at in range(first, last, DAY) if offset(zone, at) != offset(zone, at + DAY)]
    hours = [at for day in days for at in range(day, day + DAY, HOUR) if offset(zone, at) != offset(zone, at + HOUR)]
    return hours or [first]


def later_instants(after: int) -> list[int]:
    """The next instant, and every full minute of the next day and a half: clocks change on the minute."""
    start = after + 1
    return [start, *range(start - start % MINUTE + MINUTE, start + 36 * HOUR, MINUTE)]


zones = st.sampled_from(ZONES)
near = st.one_of(
    st.integers(-3 * HOUR, 3 * HOUR), st.integers(-180, 180).map(lambda n: n * MINUTE - 1), st.integers(-2, 2)
)
watermarks = zones.flatmap(
    lambda zone: st.tuples(st.just(zone), st.builds(lambda a, b: a + b, st.sampled_from(changes(zone)), near))
)


@given(watermarks)
def test_no_later_instant_shows_what_has_passed(drawn: tuple[str, int]) -> None:
    zone, watermark = drawn
    assert wall_clock_passed(watermark, zone) == min(shown(zone, at) for at in later_instants(watermark)) - 1


@given(watermarks, st.sampled_from(WINDOWS))
def test_a_window_is_complete_iff_no_instant_of_it_is_still_to_come(drawn: tuple[str, int], window) -> None:
    zone, watermark = drawn
    passed = wall_clock_passed(watermark, zone)
    coming = [shown(zone, at) for at in later_instants(watermark)]
    here = window.slice_end(shown(zone, watermark))
    for end in window.ends_between(here - 3 * HOUR, here + 3 * HOUR):
        assert is_complete(end, passed) == (min(coming) >= end)


@given(watermarks, st.integers(0, 4 * HOUR))
def test_it_never_goes_back(drawn: tuple[str, int], step: int) -> None:
    zone, watermark = drawn
    assert wall_clock_passed(watermark, zone) <= wall_clock_passed(watermark + step, zone)


@given(watermarks)
def test_the_wall_clock_is_python_s(drawn: tuple[str, int]) -> None:
    zone, instant = drawn
    assert wall_clock(instant, zone) == shown(zone, instant)


@settings(max_examples=25)
@given(watermarks)
def test_what_no_clock_shows_is_skipped(drawn: tuple[str, int]) -> None:
    zone, instant = drawn
    clock = shown(zone, instant)
    assert not is_skipped(clock, zone)
    around = {shown(zone, at) for at in range(instant - 2 * DAY, instant + 2 * DAY, MINUTE)}
    for minutes in range(-180, 181, 7):
        assert is_skipped(clock + minutes * MINUTE, zone) == (clock + minutes * MINUTE not in around)


@pytest.mark.parametrize(
    ("watermark", "passed"),
    [
        ("2024-11-03 04:59:59.999", "2024-11-03 00:59:59.999"),
        ("2024-11-03 05:00:00", "2024-11-03 00:59:59.999"),
        ("2024-11-03 05:59:59.998", "2024-11-03 00:59:59.999"),
        ("2024-11-03 05:59:59.999", "2024-11-03 00:59:59.999"),
        ("2024-11-03 06:30:00", "2024-11-03 01:30:00"),
        ("2024-11-03 06:59:59.999", "2024-11-03 01:59:59.999"),
        ("2024-03-10 06:59:59.998", "2024-03-10 01:59:59.998"),
        ("2024-03-10 06:59:59.999", "2024-03-10 02:59:59.999"),
        ("2024-03-10 07:00:00", "2024-03-10 03:00:00"),
    ],
)
def test_two_nights_in_new_york(watermark: str, passed: str) -> None:
    assert format_instant(wall_clock_passed(parse_instant(watermark), "America/New_York")) == passed


@given(st.integers(-(2**50), END_OF_TIME))
def test_utc_is_every_instant_itself(at: int) -> None:
    assert wall_clock(at, None) == wall_clock_passed(at, None) == at


def test_the_end_of_time_is_on_every_clock() -> None:
    assert wall_clock(END_OF_TIME, "Europe/Berlin") == wall_clock_passed(END_OF_TIME, "Europe/Berlin") == END_OF_TIME


@given(st.integers(0, FOUR_CENTURIES))
def test_years_beyond_the_calendar_have_the_same_rules(into: int) -> None:
    at = parse_instant("2400-01-01") + into
    for zone in ("Europe/Berlin", "Asia/Shanghai"):
        assert wall_clock(at + 50 * FOUR_CENTURIES, zone) - 50 * FOUR_CENTURIES == shown(zone, at)
    wall_clock(-at * 100, "Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("2024-11-03 01:30", "2024-11-03 01:30:00"),
        ("2024-11-03T05:30:00Z", "2024-11-03 01:30:00"),
        ("2024-11-03T06:30:00+00:00", "2024-11-03 01:30:00"),
        ("2024-11-03T00:30:00-0500", "2024-11-03 01:30:00"),
    ],
)
def test_a_time_with_an_offset_is_an_instant(text: str, clock: str) -> None:
    assert format_instant(parse_wall_clock(text, "America/New_York")) == clock


@pytest.mark.parametrize(
    ("name", "hours"),
    [("Europe/Berlin", 2), ("GMT+08:00", 8), ("GMT-3", -3), ("UTC+5", 5), ("+07:00", 7), ("UTC", 0), ("Etc/GMT-4", 4)],
)
def test_names_of_zones(name: str, hours: int) -> None:
    june = parse_instant("2024-06-18")
    assert wall_clock(june, foreign_zone(read_zone(name))) - june == hours * HOUR


@pytest.mark.parametrize(
    "name", ["", "Berlin", "Europe/Nowhere", "PST", "GMT+19", "GMT+5:99", "../etc/passwd", "Europe/"]
)
def test_what_is_no_zone(name: str) -> None:
    with pytest.raises(ValueError, match=r"there is no time zone .*: write for example 'Europe/Berlin'"):
        read_zone(name)
