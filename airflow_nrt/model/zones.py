"""Instants and the wall clock of a time zone, which skips an hour in spring and shows one twice in autumn.

Windows over TIMESTAMP_LTZ are on the wall clock of `table.local-time-zone`; their watermarks are instants. Both are
milliseconds. A zone has Flink's name. None is UTC, where an instant and its wall clock are the same number.

    instant      ───────┬───────────────┬───────────────┬───────
    wall clock   ── 01:00 ────── 02:00│01:00 ────── 02:00 ──────
    passed       ── 01:00 ·················· 01:00 ─ 02:00 ─────
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.instants import END_OF_TIME, names_instant, parse_instant
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.model.windows import Sql

_REGION = re.compile(r"[A-Z]\w*(/[A-Z][\w+-]*)+")
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::(\d\d))?")
_MOST_HOURS = 18
_UTC = ("UTC", "GMT", "Z", "Etc/UTC")

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_CYCLE = 146_097 * DAY
"""The calendar repeats after 400 years, with its weekdays, and so do the rules of every zone."""
_YEAR_68, _YEAR_2400 = -60_021_302_400_000, 13_569_465_600_000
"""Python's calendar begins in 1 and ends in 9999. Zones are asked for times of these years and of one cycle after."""


def read_zone(text: str) -> str:
    """The name of a zone: `Europe/Berlin`, `UTC`, `GMT+08:00`. Raises ValueError for anything else."""
    zone_rules(text)
    return text


def foreign_zone(name: str) -> str | None:
    """The zone as the functions of this module take it: None for UTC under any name."""
    return None if name in _UTC else name


def parse_wall_clock(text: str, zone: str | None) -> int:
    """A time of the zone's wall clock (ms), in the forms of `parse_instant`. With `Z` or an offset it is an instant."""
    at = parse_instant(text)
    return wall_clock(at, zone) if names_instant(text) else at


def wall_clock(instant: int, zone: str | None) -> int:
    """The zone's wall clock (ms) at an instant."""
    if zone is None or instant >= END_OF_TIME:
        return instant
    shown = _moment(instant).astimezone(zone_rules(zone))
    return instant + _offset(shown)


def first_instant(shown: int, zone: str | None) -> int:
    """The first instant (ms) with this wall clock; a skipped time counts as if it were not skipped."""
    if zone is None:
        return shown
    return shown - _offset(_moment(shown).replace(tzinfo=zone_rules(zone)))


def is_skipped(shown: int, zone: str | None) -> bool:
    """Whether no instant has this wall clock, because the clocks were put forward over it."""
    if zone is None or not _YEAR_68 <= shown < _YEAR_2400:
        return False
    clock = _moment(shown).replace(tzinfo=zone_rules(zone))
    return clock.astimezone(timezone.utc).astimezone(zone_rules(zone)).replace(tzinfo=None) != clock.replace(
        tzinfo=None
    )


def wall_clock_passed(watermark: int, zone: str | None) -> int:
    """The last millisecond of the wall clock that has passed for good: no later instant shows it or anything before it.

    A window whose last millisecond it has reached gets no more rows. It never goes back if the watermark does not: it
    waits during an hour that the clocks will repeat.
    """
    if zone is None or watermark >= END_OF_TIME:
        return watermark
    coming = watermark + 1
    shown = _moment(coming).astimezone(zone_rules(zone))
    before, after = _offset(shown), _offset(shown.replace(fold=1))
    if shown.fold or after >= before:
        return coming + before - 1
    # The clocks go back within the repeated time: search for the first instant after that.
    low, high = coming, coming + before - after
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wall_clock(middle, zone) - middle == after else (middle, high)
    return high + after - 1


def wall_clock_sql(instant: Sql, zone: str | None) -> Sql:
    """`wall_clock` in Spark SQL."""
    if zone is None:
        return instant
    return Sql(f"unix_millis(from_utc_timestamp(timestamp_millis({instant}), {string_literal(zone)}))")


def instant_sql(shown: Sql, zone: str | None) -> Sql:
    """Spark SQL of the first instant with this wall clock; a skipped time counts as if it were not skipped."""
    if zone is None:
        return shown
    return Sql(f"unix_millis(to_utc_timestamp(timestamp_millis({shown}), {string_literal(zone)}))")


@lru_cache
def zone_rules(name: str) -> tzinfo:
    """The rules of a zone. Raises ValueError if there is no zone with this name."""
    if name in _UTC:
        return timezone.utc
    match = _OFFSET.fullmatch(name)
    if match is not None:
        hours, minutes = int(match.group(2)), int(match.group(3) or 0)
        if minutes < 60 and hours * 60 + minutes <= _MOST_HOURS * 60:
            return timezone((-1 if match.group(1) == "-" else 1) * timedelta(hours=hours, minutes=minutes))
    elif _REGION.fullmatch(name):
        try:
            return ZoneInfo(name)
        except (KeyError, OSError):
            pass
    raise ValueError(f"there is no time zone {name!r}: write for example 'Europe/Berlin', 'UTC' or 'GMT+08:00'")


def _moment(instant: int) -> datetime:
    known = instant if instant < _YEAR_2400 else (instant - _YEAR_2400) % _CYCLE + _YEAR_2400
    return _EPOCH + timedelta(milliseconds=max(known, _YEAR_68))


def _offset(shown: datetime) -> int:
    offset = shown.utcoffset()
    assert offset is not None
    return offset // timedelta(milliseconds=1)
