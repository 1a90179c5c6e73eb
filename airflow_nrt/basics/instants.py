"""Times of a report's clock, as milliseconds since 1970-01-01 00:00:00 of that clock.

Windows over `TIMESTAMP` columns are on a clock without a zone, and so are all functions here.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from airflow_nrt.basics.errors import InputError

EPOCH = datetime(1970, 1, 1)
END_OF_TIME = 2**62
"""The watermark of an input that has ended: every window is complete."""
_NO_ROW = END_OF_TIME // 2
"""No row has a time as late as this: windows that end after it are complete because their input has ended."""
BEFORE_TIME = -END_OF_TIME
"""Before all windows and rows."""
LAST_MINUTE = (datetime(9999, 12, 31) - EPOCH) // timedelta(milliseconds=1)
"""The window end of results that only the end of their input completes: a time that never passes."""

_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:?\d\d)?")


def parse_instant(text: str) -> int:
    """Milliseconds of `2024-06-18`, `2024-06-18 10:00`, `2024-06-18T10:00:00.5`, with `Z` or an offset taken as UTC.

    Raises ValueError for anything else.
    """
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a time: write for example '2024-06-18 10:00' or '2024-06-18T10:00:00'")
    day, minute, second, zone = match.groups()
    fraction = (second or ":00").partition(".")[2][:3].ljust(3, "0")
    clock = f"{day} {minute or '00:00'}{(second or ':00').partition('.')[0]}"
    try:
        moment = datetime.strptime(clock, "%Y-%m-%d %H:%M:%S")
    except ValueError as wrong:
        raise ValueError(f"{text!r} is not a time: {wrong}") from None
    if zone and zone != "Z":
        sign = -1 if zone[0] == "-" else 1
        hours, minutes = int(zone[1:3]), int(zone[-2:])
        moment -= sign * timedelta(hours=hours, minutes=minutes)
    return from_datetime(moment) + int(fraction)


def names_instant(text: str) -> bool:
    """Whether a time, as `parse_instant` reads it, has a `Z` or an offset."""
    match = _INSTANT.fullmatch(text.strip())
    return match is not None and match.group(4) is not None


def from_datetime(moment: datetime) -> int:
    """Milliseconds of a datetime; one with a zone is taken at UTC."""
    if moment.tzinfo is not None:
        moment = moment.astimezone(timezone.utc)
    # Subclasses of datetime (pendulum) subtract to durations that don't divide.
    plain = datetime.combine(moment.date(), moment.time())
    return (plain - EPOCH) // timedelta(milliseconds=1)


def format_instant(ms: int | None) -> str:
    """`2024-06-18 10:00:00`, with milliseconds only where there are any; `-`, `beginning` and `end` for none."""
    if ms is None:
        return "-"
    if ms >= _NO_ROW:
        return "end"
    if ms <= -_NO_ROW:
        return "beginning"
    try:
        moment = EPOCH + timedelta(milliseconds=ms)
    except OverflowError:
        return f"{ms} ms"
    text = moment.isoformat(sep=" ", timespec="seconds")
    return f"{text}.{ms % 1000:03d}" if ms % 1000 else text


def format_reached(ms: int | None) -> str:
    """The same of a watermark or an end that is reached, which is in words where the input has ended."""
    return "the end of the input" if ms is not None and ms >= LAST_MINUTE else format_instant(ms)


def complete_text(ms: int | None) -> str:
    """`, complete up to 2024-06-18 10:00:00`; nothing where no window is."""
    return "" if ms is None else f", complete up to {format_reached(ms)}"


def iso_instant(ms: int | None) -> str | None:
    """`2024-06-18T10:00:00`, with milliseconds only where there are any; None for none and for the end of time."""
    if ms is None or ms >= _NO_ROW:
        return None
    return format_instant(ms).replace(" ", "T", 1)


def iso_moment(ms: int) -> str:
    """A time of the wall clock in UTC, `2024-06-18T10:00:00.250+00:00`."""
    return datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec="milliseconds")


def check_span(start: int | None, end: int | None) -> None:
    """Raises InputError if no time is after the start and at most at the end. None means no bound."""
    if start is not None and end is not None and end <= start:
        what = "empty" if end == start else "reversed"
        raise InputError(f"the interval from {format_instant(start)} to {format_instant(end)} is {what}")
