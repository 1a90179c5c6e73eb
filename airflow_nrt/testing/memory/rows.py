"""Rows, and what is counted of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Count = tuple[Any, int, int]
"""A row of a result: the key, the number of rows, and the number of distinct values."""


@dataclass(frozen=True)
class Row:
    """A row of a source; `at` is its rowtime (ms, on the windows' clock)."""

    key: Any
    value: Any
    at: int


def counted(rows: Iterable[tuple[Any, Any]]) -> frozenset[Count]:
    """The counts by key of pairs of a key and a value."""
    values: dict[Any, list[Any]] = {}
    for key, value in rows:
        values.setdefault(key, []).append(value)
    return frozenset((key, len(found), len(set(found))) for key, found in values.items())
