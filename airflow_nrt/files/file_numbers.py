"""Numbers that files of a home have for names."""

from __future__ import annotations

_MOST_DIGITS = 18
"""Of a number that all formats can hold."""


def number_of(name: str) -> int | None:
    """The number, None for any other name: one with digits of another script or with a 0 before them is none."""
    is_number = name.isascii() and name.isdecimal() and len(name) <= _MOST_DIGITS
    return int(name) if is_number and (name == "0" or name[0] != "0") else None
