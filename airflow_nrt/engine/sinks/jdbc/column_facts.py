"""What a database says of the columns of a table, by the catalog that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnFacts:
    """A column of a table in a database. `kind` is its type, in the database's words, without numbers.

    `length` and `size` are the most characters and bytes of a text, `digits` and `scale` those of a number, `fraction`
    the fraction digits of a time; None where there is none. It `is_required` if it can't be NULL.
    """

    kind: str
    length: int | None
    size: int | None
    digits: int | None
    scale: int | None
    fraction: int | None
    is_required: bool
    character_set: str | None = None

    def __str__(self) -> str:
        """The type as a person writes it.

        >>> print(ColumnFacts("numeric", None, None, 3, 2, None, False))
        numeric(3, 2)
        """
        numbers = [self.length] if self.length is not None else [self.digits, self.scale] if self.scale else []
        return f"{self.kind}({', '.join(map(str, numbers))})" if numbers else self.kind


def facts_of(row: Sequence[str | None]) -> ColumnFacts:
    """A row of `Dialect.facts`, without the column's name."""
    kind, *numbers, nullable, character_set = row
    length, size, digits, scale, fraction = (None if text is None else int(text) for text in numbers)
    is_required = nullable == "NO"
    return ColumnFacts(str(kind).lower(), length, size, digits, scale, fraction, is_required, character_set)
