"""Files of a home whose names are numbers."""

from __future__ import annotations

_MOST_DIGITS = 18
"""The most digits of a number that all formats can hold."""


def number_of(name: str) -> int | None:
    """The number, None for any other name, also for digits of another script and for a leading 0."""
    is_number = name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS
    return int(name) if is_number and (name == "0" or name[0] != "0") else None
