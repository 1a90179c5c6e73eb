"""Partitions of a table by time: which of them can hold the rows of an interval.

The pattern of `'partition.time-extractor.timestamp-pattern'` (Flink) says how partition values make a time. The finest
place of the pattern that comes from a value bounds how long the partition lasts: `$ds $hh:00:00` lasts an hour, `$ds` a
day. A minute place may be a bucket of unknown length, so such a partition counts as lasting to the end of its hour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from airflow_nrt.report.durations import DAY, HOUR
from airflow_nrt.report.errors import InputError
from airflow_nrt.report.instants import parse_instant

_VARIABLE = re.compile(r"\$(\w+)")


@dataclass(frozen=True)
class PartitionTime:
    """How partitions of one table lie in time.

    `max_delay` (ms) is set for partitions by arrival: a row of rowtime t arrives in [t, t + max_delay].
    """

    pattern: str
    keys: tuple[str, ...]
    max_delay: int | None = None

    @property
    def length(self) -> int:
        """The longest time that one partition can cover, in milliseconds."""
        _, _, clock = self.pattern.partition(" ")
        return HOUR if _VARIABLE.search(clock) else DAY

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
        return start - start % self.length

    def may_hold(self, values: Mapping[str, str], start: int, end: int) -> bool:
        """Whether the partition can hold rows with `start <= rowtime < end`."""
        begins = self.time_of(values)
        latest = end if self.max_delay is None else end + self.max_delay
        return begins < latest and begins + self.length > start

    def expected(self, start: int, end: int) -> Iterator[int]:
        """The starts of all partitions by event time that the interval touches."""
        return iter(range(start - start % self.length, end, self.length))


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
