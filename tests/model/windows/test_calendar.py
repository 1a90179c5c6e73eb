"""Windows of months against DuckDB's calendar: all windows near a row are listed, and the definition is applied."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from airflow_nrt.basics.durations import DAY, HOUR
from airflow_nrt.basics.instants import BEFORE_TIME, END_OF_TIME, parse_instant
from airflow_nrt.model.windows import Months, Window, counts_in, cumulate, hop, is_complete, tumble
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.from_clause.windowing_functions import window_of_group
from airflow_nrt.sql.parse.statements import parse_expression
from tests.engine.oracle import CALENDAR, CalendarWindowing

MONTH, QUARTER, YEAR = Months(1), Months(3), Months(12)
YEARS = (1969, 1999, 2022, 2099)
"""With two more each: 2000 and 2024 are leap years, 2100 is none."""
DAYS = ("01-01", "01-31", "02-01", "02-27", "02-28", "03-01", "03-31", "04-30", "12-31")


def times() -> st.SearchStrategy[int]:
    noted = [parse_instant(f"{year + n}-{day} 00:00") for year in YEARS for n in (0, 1, 2) for day in DAYS]
    near = st.builds(lambda at, by: at + by, st.sampled_from(noted), st.integers(-2, 2))
    return near | st.sampled_from(noted).flatmap(lambda at: st.integers(at, at + 60 * DAY))


def window_of(windowing: CalendarWindowing) -> Window:
    return window_of_group(parse_expression(windowing.sql.replace("(", "(ts, ", 1)))


@cache
def near(windowing: CalendarWindowing, year: int) -> list[tuple[int, int]]:
    return windowing.between(parse_instant(f"{year - 1}-01-01"), parse_instant(f"{year + 5}-01-01"))


def around(windowing: CalendarWindowing, at: int) -> list[tuple[int, int]]:
    """Every window that could hold this rowtime, and some that can't."""
    year = max((one for one in YEARS if parse_instant(f"{one}-01-01") <= at + 1000), default=YEARS[0])
    return near(windowing, year)


windowings = st.sampled_from(CALENDAR)


@given(windowings, times(), st.none() | times())
@example(CalendarWindowing("HOP", "1 MONTH", "1 DAY"), parse_instant("2023-02-28 00:00"), None)
def test_the_windows_of_a_row(windowing: CalendarWindowing, at: int, watermark: int | None) -> None:
    window, listed = window_of(windowing), around(windowing, at)
    holding = [(start, end) for start, end in listed if start <= at < end]
    slice_end = window.slice_end(at)
    slice_start = window.slices.shifted(slice_end, -1)
    assert [(window.start(end), end) for end in window.ends(slice_end)] == holding
    assert slice_start <= at < slice_end
    assert not any(slice_start < boundary < slice_end for one in listed for boundary in one)
    for start, end in listed:
        open_then = watermark is None or watermark < end - 1
        assert counts_in(window, slice_end, watermark, end) == (start <= at < end and open_then)


@given(windowings, times(), times())
def test_what_is_complete(windowing: CalendarWindowing, watermark: int, other: int) -> None:
    window, ends = window_of(windowing), [end for _, end in around(windowing, watermark)]
    last = window.last_complete_end(watermark)
    assert is_complete(last, watermark) and not is_complete(window.first_open_end(watermark), watermark)
    assert last == max(end for end in ends if end <= watermark + 1)
    after, until = watermark, min(max(watermark, other), watermark + 300 * DAY)
    assert list(window.ends_between(after, until)) == [end for end in ends if after < end <= until]


@pytest.mark.parametrize("at", [BEFORE_TIME, END_OF_TIME])
@pytest.mark.parametrize("windowing", CALENDAR, ids=str)
def test_a_watermark_that_no_calendar_has(windowing: CalendarWindowing, at: int) -> None:
    window = window_of(windowing)
    assert window.last_complete_end(at) <= at + 1 < window.first_open_end(at)


def test_what_29_to_31_mean() -> None:
    window = hop(DAY, MONTH)
    starts = {day: window.start(parse_instant(f"2023-03-{day} 00:00")) for day in (28, 29, 30, 31)}
    assert set(starts.values()) == {parse_instant("2023-02-28 00:00")}
    assert window.start(parse_instant("2024-02-29 00:00")) == parse_instant("2024-01-29 00:00")


@pytest.mark.parametrize(
    ("window", "text"),
    [
        (tumble(MONTH), "TUMBLE 1 month"),
        (tumble(YEAR, QUARTER), "TUMBLE 1 year, offset 3 months"),
        (cumulate(DAY, Months(18)), "CUMULATE 1 day / 18 months"),
        (cumulate(QUARTER, Months(24), -MONTH), "CUMULATE 3 months / 2 years, offset -1 month"),
        (hop(DAY, MONTH, -6 * HOUR), "HOP 1 day / 1 month, offset -6 hours"),
    ],
)
def test_in_words(window: Window, text: str) -> None:
    assert str(window) == text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "CUMULATE(ts, INTERVAL '7' DAY, INTERVAL '1' MONTH)",
            "1 month is no multiple of 7 days: take a step",
        ),
        ("CUMULATE(ts, INTERVAL '7' HOUR, INTERVAL '1' MONTH)", "1 month is no multiple of 7 hours"),
        (
            "CUMULATE(ts, INTERVAL '2' MONTH, INTERVAL '1' QUARTER)",
            "3 months is no multiple of 2 months: ",
        ),
        (
            "CUMULATE(ts, INTERVAL '1' MONTH, INTERVAL '60' DAY)",
            "60 days is no multiple of 1 month: ",
        ),
        ("HOP(ts, INTERVAL '2' MONTH, INTERVAL '1' MONTH)", "1 month is no multiple of 2 months"),
        (
            "HOP(ts, INTERVAL '1' HOUR, INTERVAL '1' MONTH)",
            "windows of 1 month have no slide of 1 hour",
        ),
        (
            "HOP(ts, INTERVAL '1' MONTH, INTERVAL '1' DAY)",
            "HOP: 1 day is no multiple of 1 month: ",
        ),
        (
            "TUMBLE(ts, INTERVAL '1' DAY, INTERVAL '1' MONTH)",
            "windows of 1 day have no offset of 1 month: ",
        ),
        (
            "TUMBLE(ts, INTERVAL '1' YEAR, INTERVAL '40' DAY)",
            "windows of 1 year have no offset of 40 days",
        ),
        (
            "TUMBLE(ts, INTERVAL '1' MONTH, INTERVAL '1' MONTH)",
            "abs(offset) < size, but got size 1 month and offset 1 mo",
        ),
        ("TUMBLE(ts, INTERVAL '0' MONTH)", "requires size to be positive, but got 0 years"),
        ("SESSION(ts, INTERVAL '1' MONTH)", "SESSION takes a gap in days or less: 1 month has no fixed length"),
    ],
)
def test_what_does_not_fit(call: str, message: str) -> None:
    with pytest.raises(SqlError, match=re.escape(message)):
        window_of_group(parse_expression(call))
