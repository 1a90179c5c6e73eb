"""Lengths of time, read and said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.durations import DAY, HOUR, MINUTE, SECOND, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0", 0),
        ("1500", 1500),
        ("500 ms", 500),
        ("500ms", 500),
        ("1 s", SECOND),
        ("30 sec", 30 * SECOND),
        ("10 min", 10 * MINUTE),
        ("10 MINUTES", 10 * MINUTE),
        ("1h", HOUR),
        (" 2 days ", 2 * DAY),
    ],
)
def test_flink_spellings(text: str, ms: int) -> None:
    assert parse_duration(text) == ms


@pytest.mark.parametrize("text", ["", "min", "-1 s", "1.5 h", "10 fortnights", "1 h 30 min", "1_0 s"])
def test_others_say_what_to_write(text: str) -> None:
    with pytest.raises(ValueError, match="write for example '10 min'"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 seconds"),
        (1, "1 ms"),
        (SECOND, "1 second"),
        (90 * MINUTE, "1 hour 30 minutes"),
        (-8 * HOUR, "-8 hours"),
        (DAY + 2, "1 day 2 ms"),
    ],
)
def test_said_to_people(ms: int, text: str) -> None:
    assert format_duration(ms) == text


@given(st.integers(1, 10**13))
def test_what_is_said_adds_up(ms: int) -> None:
    words = format_duration(ms).split()
    assert sum(parse_duration(f"{count} {unit}") for count, unit in zip(words[::2], words[1::2])) == ms
