"""Rows, and what is counted of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Columns = tuple[Any, ...]
"""A row of a table: the key, then the values. Of counts: the key, the number of rows, and that of distinct values."""
Change = tuple[str, "Row"]
"""A change of a row: `+` or `-`, and the row."""


@dataclass(frozen=True)
class Row:
    """A row of a source, or of a result; `at` is its rowtime (ms, on the windows' clock), if it has one."""

    key: Any
    value: Any
    at: int = 0

    @property
    def columns(self) -> Columns:
        return (self.key, *self.value) if isinstance(self.value, tuple) else (self.key, self.value)


def counted(rows: Iterable[Row], at: int = 0) -> list[Row]:
    """By key, the number of rows and that of distinct values."""
    values: dict[Any, list[Any]] = {}
    for row in rows:
        values.setdefault(row.key, []).append(row.value)
    return [Row(key, (len(found), len({*found})), at) for key, found in values.items()]


def difference(before: Iterable[Row], after: Iterable[Row]) -> list[Change]:
    """The changes that make these rows of those: rows that go, then rows that come."""
    old, new = Counter(before), Counter(after)
    return [*(("-", row) for row in (old - new).elements()), *(("+", row) for row in (new - old).elements())]


def changed(rows: Iterable[Row], changes: Iterable[Change]) -> tuple[Row, ...]:
    """The rows after these changes, in their order of arrival. Raises ValueError if one goes that is not there."""
    found = list(rows)
    for sign, row in changes:
        if sign == "+":
            found.append(row)
        else:
            found.remove(row)
    return tuple(found)
