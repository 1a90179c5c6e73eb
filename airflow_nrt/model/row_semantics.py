"""How rows are read, by the entry that read them: what was published stays right when a reading is mended.

1   a TIMESTAMP(p) or TIMESTAMP_LTZ(p) kept up to six fraction digits, also in a CAST to 1, 2, 4 or 5 of them
2   it has p of them; UNNEST made rows of elements that are NULL, a number in JSON had the text of a VARIANT
3   UNNEST and numbers in JSON are as in Flink

SQL that differs by the number has both ways, `since` one of them. Only a plan that is read by one number (`read_by`)
can be run: `Plan.by_entry` has both ways, the plan itself those of the newest number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import Any, TypeVar

ROW_SEMANTICS = 3
"""How rows are read now. It is raised when the same text or file gives other values."""
FULL_FRACTIONS = 1
"""The number by which times kept all their digits."""
DIGITS_OF_TYPES = 2
"""The number since which they have those of their types."""
AS_IN_FLINK = 3
"""The number since which UNNEST and numbers in JSON are as in Flink."""
READ_BY = "_nrt_row_semantics"
"""The column with the number, of rows of entries that differ in it."""

T = TypeVar("T")
# Noncharacters of Unicode: no text of a report has them.
_BEGIN, _NEW, _OLD, _END = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_EITHER = re.compile(f"{_BEGIN}([0-9]+){_NEW}([^{_BEGIN}-{_END}]*){_OLD}([^{_BEGIN}-{_END}]*){_END}")


def since(number: int, new: str, old: str) -> str:
    """SQL that is `new` for rows read by this number or a later one, and `old` for others."""
    return new if new == old else f"{_BEGIN}{number}{_NEW}{new}{_OLD}{old}{_END}"


def differs(sql: str) -> bool:
    """Whether some of it is `since` a number."""
    return _BEGIN in sql


def read_by(number: int, part: T) -> T:
    """A SQL text, or a plan or a part of one, as it is for rows read by this number."""
    read: T = _read_by(number, part)
    return read


def _read_by(number: int, part: Any) -> Any:
    if isinstance(part, str):
        return _of_text(number, part) if differs(part) else part
    if isinstance(part, tuple):
        items = [_read_by(number, one) for one in part]
        return part if all(map(is_, items, part)) else tuple(items)
    kind: Any = type(part)
    if _is_mapping(kind):
        values = {name: _read_by(number, one) for name, one in part.items()}
        return part if all(map(is_, values.values(), part.values())) else values
    changed: dict[str, Any] = {}
    for field in _settable(kind):
        value = getattr(part, field.name)
        found = _read_by(number, value)
        if found is not value:
            changed[field.name] = found
    return replace(part, **changed) if changed else part


def readings(sql: str) -> list[tuple[int, int, str]]:
    """The SQL of each number that differs from that of the number before: from which number, to which, and the SQL.

    >>> readings(since(3, "a", "b"))
    [(1, 2, 'b'), (3, 3, 'a')]
    """
    found: list[tuple[int, int, str]] = []
    for number in range(FULL_FRACTIONS, ROW_SEMANTICS + 1):
        text = read_by(number, sql)
        first = found.pop()[0] if found and found[-1][2] == text else number
        found.append((first, number, text))
    return found


def texts(part: object) -> Iterator[str]:
    """The texts in a plan or a part of one that two equal plans have in common."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, (tuple, frozenset)):
        for one in part:
            yield from texts(one)
    elif isinstance(part, Mapping):
        yield from texts(tuple(part.values()))
    else:
        kind: Any = type(part)
        for field in _settable(kind):
            if field.compare:
                yield from texts(getattr(part, field.name))


def _of_text(number: int, sql: str) -> str:
    """Reads pairs by the number, those inside others first."""
    count = 1
    while count:
        sql, count = _EITHER.subn(lambda found: found[2] if number >= int(found[1]) else found[3], sql)
    return sql


# A plan has some hundred parts of some ten kinds: each kind is looked at once.
@cache
def _is_mapping(kind: Any) -> bool:
    return issubclass(kind, Mapping)


@cache
def _settable(kind: Any) -> tuple[Field[Any], ...]:
    """The fields that make a part of this kind; none of what has no parts."""
    return tuple(field for field in fields(kind) if field.init) if is_dataclass(kind) else ()
