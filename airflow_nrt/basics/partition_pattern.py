"""Partitions of a table by time: which of them can hold the rows of an interval.

The pattern of `'partition.time-extractor.timestamp-pattern'` (Flink) says how partition values make a time. The finest
place of the pattern that comes from a value bounds how long the partition lasts: `$ds $hh:00:00` lasts an hour, `$ds` a
day. A minute place may be a bucket of unknown length, so such a partition counts as lasting to the end of its hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

from airflow_nrt.basics.durations import DAY, HOUR
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import parse_instant

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""The partition of NULL."""
_VARIABLE = re.compile(r"\$(\w+)")


@dataclass(frozen=True)
class PartitionTime:
    """How the partitions of one table map to time.

    `max_delay` (ms) is set for partitions by arrival: a row of rowtime t arrives in [t, t + max_delay]. `slack` (ms) is
    how far the partitions' clock may be from that of the rowtimes, in either direction.
    """

    pattern: str
    keys: tuple[str, ...]
    max_delay: int | None = None
    slack: int = 0

    @property
    def length(self) -> int:
        """The longest time that one partition can cover, in milliseconds."""
        date, _, clock = self.pattern.partition(" ")
        if _VARIABLE.search(clock):
            return HOUR
        places = [bool(_VARIABLE.search(place)) for place in reversed(date.split("-"))]
        # `$ds` ends with what varies, `$month-01` has one constant place after it, `$year-01-01` two.
        return (DAY, 31 * DAY, 366 * DAY)[min(places.index(True), 2)] if any(places) else DAY

    def is_of_time(self, values: Mapping[str, str]) -> bool:
        """Whether the partition has a time at all: that of NULL has none, nor has a file beside all partitions."""
        return all(values.get(name, NO_VALUE) != NO_VALUE for name in _VARIABLE.findall(self.pattern))

    def time_of(self, values: Mapping[str, str]) -> int:
        """The start of a partition. Raises InputError if the pattern does not fit the values."""
        text = _VARIABLE.sub(lambda match: values[match.group(1)], self.pattern)
        try:
            start = parse_instant(text)
        except ValueError:
            raise InputError(
                f"the partition {_path(values)} has no time: pattern {self.pattern!r} makes {text!r} of it; "
                "correct 'partition.time-extractor.timestamp-pattern' or the partition's name"
            ) from None
        return start - start % min(self.length, DAY)

    def may_hold(self, values: Mapping[str, str], start: int, end: int) -> bool:
        """Whether the partition can hold rows with `start <= rowtime < end`. One without a time can."""
        if not self.is_of_time(values):
            return True
        begins = self.time_of(values)
        latest = end if self.max_delay is None else end + self.max_delay
        return begins - self.slack < latest and begins + self.length + self.slack > start

    def expected(self, start: int, end: int) -> Iterator[int]:
        """The starts of all partitions by event time that the interval touches."""
        if self.length <= DAY:
            return iter(range(start - start % self.length, end, self.length))
        days = (datetime.fromtimestamp(at // 1000, timezone.utc) for at in range(start - start % DAY, end, DAY))
        by_month = self.length < 366 * DAY
        firsts = {day.replace(day=1) if by_month else day.replace(month=1, day=1) for day in days}
        return iter(sorted(int(first.timestamp()) * 1000 for first in firsts))


def check_pattern(pattern: str, keys: tuple[str, ...]) -> None:
    """Raises InputError unless every variable of the pattern is a partition key."""
    for name in _VARIABLE.findall(pattern):
        if name not in keys:
            raise InputError(
                f"'partition.time-extractor.timestamp-pattern' uses ${name}, but the table is partitioned by "
                f"({', '.join(keys)})"
            )


def _path(values: Mapping[str, str]) -> str:
    return "/".join(f"{name}={value}" for name, value in values.items())
