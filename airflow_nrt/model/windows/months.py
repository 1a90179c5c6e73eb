"""Lengths of calendar months: quarters and years are some of them. All times are those of one wall clock."""

from __future__ import annotations

import math
from dataclasses import dataclass

from airflow_nrt.basics.durations import DAY
from airflow_nrt.model.windows.arithmetic import Ms, Sql
from airflow_nrt.model.windows.grid import Grid

_MOST_DAYS, _LEAST_DAYS = 31, 28
_YEAR = 12
_EPOCH = 719_468
"""Days from 0000-03-01, with which the arithmetic of leap years begins, to 1970-01-01."""
_DAYS_OF_400_YEARS, _MONTHS_OF_400_YEARS = 146_097, 4800
_ERAS = 8
"""So many times 400 years before 1970 there was no timestamp."""
_FIRST_MONTH = -_ERAS * _MONTHS_OF_400_YEARS
_MIDDLE = 14
"""Days from the first of a month to its middle."""
_END_OF_TIMESTAMPS = 9_000_000_000_000_000
"""Watermarks may be later (ms), Spark's timestamps not."""


@dataclass(frozen=True, order=True)
class Months:
    """So many calendar months.

    A time plus or minus months has the same day of the month and the same time of day, or it is on the last day of a
    month that has no such day: 31 March - 1 month is 28 or 29 February.
    """

    count: int

    @property
    def longest(self) -> int:
        """The longest that they can be (ms)."""
        years, months = divmod(abs(self.count), _YEAR)
        return (366 * years + _MOST_DAYS * months) * DAY

    def __radd__(self, at: Ms) -> Ms:
        if isinstance(at, Sql):
            return Sql(f"unix_millis(timestamp_millis({at}) + INTERVAL '{self.count}' MONTH)")
        day, time = divmod(at, DAY)
        month = month_of(at) + self.count
        of_month = min(day - first_day(month_of(at)), first_day(month + 1) - first_day(month) - 1)
        return (first_day(month) + of_month) * DAY + time

    def __rsub__(self, at: Ms) -> Ms:
        return at + Months(-self.count)

    def __neg__(self) -> Months:
        return Months(-self.count)

    def __str__(self) -> str:
        units = (("year", _YEAR), ("month", 1))
        unit, length = next((name, length) for name, length in units if self.count % length == 0)
        count = self.count // length
        return f"{count} {unit}{'' if abs(count) == 1 else 's'}"


@dataclass(frozen=True)
class Monthly(Grid):
    """The firsts of every `months`-th month at midnight, `origin` months after a January, moved by `shift` ms."""

    months: int
    origin: int = 0
    shift: int = 0

    @property
    def shortest(self) -> int:
        years, months = divmod(self.months, _YEAR)
        return (365 * years + _LEAST_DAYS * months) * DAY

    @property
    def longest(self) -> int:
        return Months(self.months).longest

    @property
    def unit(self) -> int:
        return math.gcd(DAY, self.shift)

    def bound(self, number: Ms) -> Ms:
        return first_day(number * self.months + self.origin) * DAY + self.shift

    def index(self, at: Ms) -> Ms:
        month = month_of(at - self.shift) - self.origin
        if isinstance(month, Sql):
            # DIV rounds towards zero.
            earlier = -(_FIRST_MONTH // self.months - abs(self.origin) - 1)
            return Sql(f"(({month} + {earlier * self.months}) DIV {self.months} - {earlier})")
        return month // self.months

    def first_open(self, watermark: Ms) -> Ms:
        if isinstance(watermark, Sql):
            # Spark's timestamps end before watermarks do. IF keeps the NULL of an absent one.
            watermark = Sql(f"IF({watermark} > {_END_OF_TIMESTAMPS}L, {_END_OF_TIMESTAMPS}L, {watermark})")
        return super().first_open(watermark)

    def __str__(self) -> str:
        return str(Months(self.months))


def month_of(at: Ms) -> Ms:
    """The number of the month that holds this time; January 1970 is 0. In SQL the session's time zone is UTC.

    Python's dates end with the year 9999, watermarks do not. SQL has the argument once. There the number follows from
    the first of the month, which is less than three days off where all months are equally long, because 400 years are
    always as long.

    >>> print(month_of(Sql("ts")))
    ((unix_date(trunc(date_from_unix_date(CAST((ts + 100982246400000L) DIV 86400000 - 1168776 AS INT)), 'MM')) +
    1168790) * 4800L DIV 146097 - 38400L)
    """
    if isinstance(at, Sql):
        # DIV rounds towards zero.
        earlier = _ERAS * _DAYS_OF_400_YEARS
        day = f"CAST({at + earlier * DAY} DIV {DAY} - {earlier} AS INT)"
        middle = f"(unix_date(trunc(date_from_unix_date({day}), 'MM')) + {earlier + _MIDDLE})"
        return Sql(f"{middle} * {_MONTHS_OF_400_YEARS}L DIV {_DAYS_OF_400_YEARS}") + _FIRST_MONTH
    eras, day = divmod(at // DAY + _EPOCH, _DAYS_OF_400_YEARS)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    of_year = day - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    return (400 * eras + year - 1970) * _YEAR + month + 2


def first_day(month: Ms) -> Ms:
    """The first day of the month with this number, in days from 1970-01-01.

    >>> print(first_day(Sql("m")))
    CAST(unix_date(add_months(DATE'1970-01-01', CAST(m AS INT))) AS BIGINT)
    """
    if isinstance(month, Sql):
        return Sql(f"CAST(unix_date(add_months(DATE'1970-01-01', CAST({month} AS INT))) AS BIGINT)")
    # The year begins with March, so that its last day is the one that only leap years have.
    year, of_year = divmod(month + 1970 * _YEAR - 2, _YEAR)
    days = 365 * year + year // 4 - year // 100 + year // 400
    return days + (153 * of_year + 2) // 5 - _EPOCH
