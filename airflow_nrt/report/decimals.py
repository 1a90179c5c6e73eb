"""DECIMAL of a text, in SQL that takes no longer than the text is long.

Spark makes a number of all digits that an exponent stands for before it looks whether they fit: of `1e-999999999` a
billion, which no memory holds.
"""

from __future__ import annotations

from airflow_nrt.report.spelling import string_literal

_LONGEST = 1000
"""Bytes of a text that is read. The time to read digits grows with the square of their number."""
_SHORTEST = 8
"""Bytes. What is shorter, as most amounts are, has no exponent that takes time."""
_LARGE_EXPONENT = "[eE][+-]?0*[1-9][0-9]{3}"
"""Of four digits and more: nothing that fits a DECIMAL has one, and what rounds to 0 with one is no amount."""


def read_decimal(text: str, value: str) -> str:
    """SQL of `value`, which makes a DECIMAL of SQL of a text: NULL of a text that no DECIMAL is written as."""
    marked = f"contains({text}, 'e') OR contains({text}, 'E')"
    large = f"({marked}) AND {text} RLIKE {string_literal(_LARGE_EXPONENT)}"
    is_read = f"octet_length({text}) < {_SHORTEST} OR octet_length({text}) <= {_LONGEST} AND NOT ({large})"
    return f"IF({is_read}, {value}, NULL)"
