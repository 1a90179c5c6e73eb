"""Points on a report's clock."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.instants import (
    END_OF_TIME,
    format_instant,
    format_reached,
    from_datetime,
    iso_instant,
    parse_instant,
)

DAY_MS = 24 * 3_600_000
NOON = parse_instant("2024-06-18 12:00")


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01", 0),
        ("1969-12-31 23:59:59.999", -1),
        ("1900-01-01", -25567 * DAY_MS),
        ("2024-06-18T12:00:00", NOON),
        ("2024-06-18 12:00:00.5", NOON + 500),
        ("2024-06-18 12:00:00.123456789", NOON + 123),
        ("2024-06-18 12:00Z", NOON),
        ("2024-06-18 14:00+02:00", NOON),
        ("2024-06-18 07:30-0430", NOON),
        (" 2024-06-18 12:00 ", NOON),
    ],
)
def test_spellings(text: str, ms: int) -> None:
    assert parse_instant(text) == ms


@pytest.mark.parametrize("text", ["", "noon", "2024-06-18 25:00", "2024-02-30", "18.06.2024", "2024-06-18 12"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        parse_instant(text)


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_there_and_back(moment: datetime) -> None:
    ms = from_datetime(moment)
    assert parse_instant(format_instant(ms)) == ms


def test_a_datetime_with_a_zone_is_taken_at_utc() -> None:
    assert from_datetime(datetime(2024, 6, 18, 20, tzinfo=timezone(timedelta(hours=8)))) == NOON


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "-"),
        (END_OF_TIME, "end"),
        (END_OF_TIME - END_OF_TIME % DAY, "end"),
        (0, "1970-01-01 00:00:00"),
        (-1, "1969-12-31 23:59:59.999"),
        (10**17, "100000000000000000 ms"),
    ],
)
def test_said_to_people(ms: int | None, text: str) -> None:
    assert format_instant(ms) == text


def test_windows_that_the_end_of_the_input_has_completed_are_up_to_that() -> None:
    last = END_OF_TIME - END_OF_TIME % DAY
    assert [format_reached(one) for one in (None, NOON, last)] == ["-", "2024-06-18 12:00:00", "the end of the input"]
    assert iso_instant(last) is None
