"""Milliseconds as Python integers or as Spark SQL. Each formula is written once for both.

So the stream, the batch and the verifier share one definition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar


@dataclass(frozen=True)
class Sql:
    """A BIGINT expression of Spark SQL that can be calculated with like an integer."""

    text: str

    def __add__(self, other: Sql | int) -> Sql:
        if isinstance(other, int) and other < 0:
            return self - -other
        return Sql(f"({self.text} + {_text(other)})") if isinstance(other, (Sql, int)) else NotImplemented

    def __radd__(self, other: int) -> Sql:
        return Sql(f"({_text(other)} + {self.text})")

    def __sub__(self, other: Sql | int) -> Sql:
        return Sql(f"({self.text} - {_text(other)})") if isinstance(other, (Sql, int)) else NotImplemented

    def __rsub__(self, other: int) -> Sql:
        return Sql(f"({_text(other)} - {self.text})")

    def __mul__(self, other: int) -> Sql:
        return self if other == 1 else Sql(f"({self.text} * {_text(other)})")

    def __rmul__(self, other: int) -> Sql:
        return self * other

    def __mod__(self, other: int) -> Sql:
        return Sql(f"pmod({self.text}, {_text(other)})")

    def __floordiv__(self, other: int) -> Sql:
        return self if other == 1 else Sql(f"(({self.text} - {self % other}) DIV {other})")

    def __str__(self) -> str:
        return self.text


Ms = TypeVar("Ms", int, Sql)


def _text(value: Sql | int) -> str:
    return value.text if isinstance(value, Sql) else f"{value}L"


def later(a: Ms, b: Ms) -> Ms:
    """The later of the two. SQL ignores a NULL, which is an absent watermark."""
    if isinstance(a, Sql):
        return Sql(f"greatest({a}, {b})")
    return max(a, b)
