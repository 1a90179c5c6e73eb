"""The first day of calendar weeks while a report is planned. Without one, weeks are seven days from the epoch on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from airflow_nrt.basics.durations import DAY
from airflow_nrt.model.options.known import WEEKDAYS

_BEGIN: ContextVar[int] = ContextVar("begin of weeks", default=0)
_OF_THE_EPOCH = WEEKDAYS.index("thursday")


@contextmanager
def weeks_from(first_day: str | None) -> Iterator[None]:
    """Plans with weeks that begin on this day, None for that of the epoch."""
    number = _OF_THE_EPOCH if first_day is None else WEEKDAYS.index(first_day.lower())
    token = _BEGIN.set((number - _OF_THE_EPOCH) * DAY)
    try:
        yield
    finally:
        _BEGIN.reset(token)


def begin_of_weeks() -> int:
    """Where a week begins (ms), at most six days from the epoch."""
    return _BEGIN.get()
