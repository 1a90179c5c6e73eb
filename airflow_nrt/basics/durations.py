"""Durations in milliseconds: parsed as Flink's options write them, and formatted for people."""

from __future__ import annotations

import re

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_UNITS = {
    **dict.fromkeys(("ms", "milli", "millis", "millisecond", "milliseconds"), 1),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), SECOND),
    **dict.fromkeys(("min", "m", "minute", "minutes"), MINUTE),
    **dict.fromkeys(("h", "hour", "hours"), HOUR),
    **dict.fromkeys(("d", "day", "days"), DAY),
}
_DURATION = re.compile(r"\s*(\d+)\s*([a-z]*)\s*", re.IGNORECASE)


def parse_duration(text: str) -> int:
    """Milliseconds of a Flink duration such as `10 min`, `1 h`, `500ms`; a bare number is milliseconds.

    Raises ValueError for anything else.
    """
    match = _DURATION.fullmatch(text)
    unit = (match.group(2).lower() or "ms") if match else ""
    if match is None or unit not in _UNITS:
        raise ValueError(f"{text!r} is not a duration: write for example '10 min', '30 s', '1 h' or '500 ms'")
    return int(match.group(1)) * _UNITS[unit]


def format_duration(ms: int, most: int = 5) -> str:
    """`600000` as `10 minutes`; several units where one is not enough (`1 hour 30 minutes`), at most the `most`
    largest."""
    if ms == 0:
        return "0 seconds"
    parts = []
    rest = abs(ms)
    for name, unit in (("day", DAY), ("hour", HOUR), ("minute", MINUTE), ("second", SECOND), ("ms", 1)):
        count, rest = divmod(rest, unit)
        if count:
            parts.append(f"{count} {name}{'s' if count > 1 and name != 'ms' else ''}")
    return ("-" if ms < 0 else "") + " ".join(parts[:most])
