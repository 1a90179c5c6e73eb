"""SQL that reads a DECIMAL from a text, in time that is bounded by the length of the text.

Spark expands an exponent into digits before it checks whether they fit: `1e-999999999` becomes a billion digits, which
no memory holds.
"""

from __future__ import annotations

from airflow_nrt.basics.spelling import string_literal

_SHORTEST = 8
"""Bytes. A shorter text, as most amounts are, has no exponent that takes time."""
_TAKES_LONG = "(?s)[eE][+-]?0*[1-9][0-9]{3}|.{1001}"
"""An exponent of four or more digits: no value that fits a DECIMAL has one, and a value that it rounds to 0 is no
amount. Or more than 1,000 characters: the time to read digits grows with the square of their number."""
_NUMBER = (
    r"(?s)^(?=.{1,1000}\z)\uffff?[\x00-\x20]*+[+-]?(?:[0-9]++(?:[.][0-9]*+)?|[.][0-9]++)"
    r"(?:[eE](?:[+]?[0-9]++|-0*+[0-9]{1,3}))?[\x00-\x20]*+\z"
)
"""Of up to 1,000 characters, as all that is read; a mark may stand before it (`values.py` of sources). One with an
exponent below -999 is left out: it may be 0, and is not too large."""


def read_decimal(text: str, value: str) -> str:
    """SQL that gives `value`, the SQL of a DECIMAL read from `text`, and NULL where the text is no DECIMAL.

    >>> print(read_decimal("x", "try_cast(x AS DECIMAL(10,2))"))
    IF(octet_length(x) < 8 OR NOT x RLIKE '(?s)[eE][+-]?0*[1-9][0-9]{3}|.{1001}', try_cast(x AS DECIMAL(10,2)), NULL)
    """
    # The SQL of a text may be long, and is planned with each batch: so it is repeated as little as possible.
    is_read = f"octet_length({text}) < {_SHORTEST} OR NOT {text} RLIKE {string_literal(_TAKES_LONG)}"
    return f"IF({is_read}, {value}, NULL)"


def is_number(text: str) -> str:
    """SQL predicate: the text is a number. If it has no value as a DECIMAL, it does not fit: "x RLIKE '(?s)^…'"."""
    return f"{text} RLIKE {string_literal(_NUMBER)}"
