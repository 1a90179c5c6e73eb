"""Lengths of windows: milliseconds, or calendar months. Which of them fit into one another, and the grids they make."""

from __future__ import annotations

from airflow_nrt.basics.durations import DAY, format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows.grid import Every, Grid
from airflow_nrt.model.windows.months import Monthly, Months

Length = int | Months
_LONGEST_SHIFT = 28 * DAY
"""A month that begins on its 29th does not exist in each year."""


def longest(length: Length) -> int:
    """The longest that it can be (ms), whatever its sign."""
    return length.longest if isinstance(length, Months) else abs(length)


def grid_of(length: Length, offset: Length = 0) -> Grid:
    """The points that are a length apart. An offset in months moves no point of days or less: each is a part of one."""
    months, shift = (offset.count, 0) if isinstance(offset, Months) else (0, offset)
    return Monthly(length.count, months, shift) if isinstance(length, Months) else Every(length, shift)


def format_length(length: Length) -> str:
    return str(length) if isinstance(length, Months) else format_duration(length)


def in_ms(length: Length) -> str:
    """As Flink writes a length."""
    return str(length) if isinstance(length, Months) else f"{length} ms"


def check_offset(kind: str, size: Length, offset: Length) -> None:
    """Raises InputError for an offset that does not fit a size, if one of both is in months."""
    if isinstance(offset, Months) and not isinstance(size, Months):
        raise InputError(f"{kind}: windows of {format_length(size)} have no offset of {offset}: take days or less")
    if isinstance(size, Months) and not isinstance(offset, Months) and abs(offset) >= _LONGEST_SHIFT:
        raise InputError(
            f"{kind}: windows of {size} have no offset of {format_length(offset)}: give it in months, or in less than "
            "28 days"
        )


def check_nested(kind: str, step: Length, size: Length) -> None:
    """Raises InputError if windows of months can't be made of these steps."""
    match step, size:
        case Months(), Months():
            fits, way_out = size.count % step.count == 0, "take a number of months that divides it"
        case Months(), _:
            fits, way_out = False, "give the size in months, too"
        case _:
            fits, way_out = DAY % int(step) == 0, "take a step that divides a day, or months"
    if not fits:
        raise InputError(f"{kind}: {format_length(size)} is no multiple of {format_length(step)}: {way_out}")
