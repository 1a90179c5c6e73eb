"""DECIMAL of a text, in SQL that takes no longer than the text is long.

Spark makes a number of all digits that an exponent stands for before it looks whether they fit: of `1e-999999999` a
billion, which no memory holds.
"""

from __future__ import annotations

from airflow_nrt.basics.spelling import string_literal

_SHORTEST = 8
"""Bytes. What is shorter, as most amounts are, has no exponent that takes time."""
_TAKES_LONG = "(?s)[eE][+-]?0*[1-9][0-9]{3}|.{1001}"
"""An exponent of four digits and more: nothing that fits a DECIMAL has one, and what rounds to 0 with one is no amount.
Or more than 1,000 characters: the time to read digits grows with the square of their number."""


def read_decimal(text: str, value: str) -> str:
    """SQL of `value`, which makes a DECIMAL of SQL of a text: NULL of a text that no DECIMAL is written as."""
    # A text may be much SQL, which is planned with each batch: it stands here as seldom as can be.
    is_read = f"octet_length({text}) < {_SHORTEST} OR NOT {text} RLIKE {string_literal(_TAKES_LONG)}"
    return f"IF({is_read}, {value}, NULL)"
