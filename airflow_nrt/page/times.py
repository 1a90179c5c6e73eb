"""Times in the page's JSON: instants in UTC with their offset, times of a report's clock without one."""

from __future__ import annotations

from datetime import datetime, timezone

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.instants import LAST_MINUTE, format_instant, from_datetime, parse_instant

_YEAR_1 = from_datetime(datetime(1, 1, 1))


def instant_text(ms: int | None) -> str | None:
    """`2026-11-26T07:00:00.123+00:00` of milliseconds of the wall clock; None outside of the calendar."""
    if ms is None or not 0 <= ms <= LAST_MINUTE:
        return None
    return datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec="milliseconds")


def clock_text(ms: int | None) -> str | None:
    """`2024-06-18T10:00:00` of milliseconds of a report's clock; None at the end of time, and outside of the calendar.

    A window that ends with its input ends at the end of 9999, which is not shown either.
    """
    if ms is None or not _YEAR_1 <= ms < LAST_MINUTE:
        return None
    return format_instant(ms).replace(" ", "T")


def parse_clock(text: str) -> int:
    """Milliseconds of a time without a zone. Raises ValueError."""
    if len(text) > 40:
        raise ValueError("it is no time")
    return parse_instant(text)


def day_start(day: str) -> int:
    """Milliseconds of the day's midnight. Raises ValueError for what is no day."""
    at = parse_clock(day)
    if at % DAY or len(day) != 10:
        raise ValueError(f"{day!r} is no day: write for example 2024-06-18")
    return at


def day_text(ms: int) -> str:
    """The day of a time."""
    return format_instant(ms // DAY * DAY)[:10]
