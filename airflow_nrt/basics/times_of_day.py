"""TIME as an INT, the milliseconds since midnight, as Flink keeps it. Only this module knows that: it gives the SQL to
read, show and compute one, and `with_times` converts values that hold one.

Spark's own TIME is used only in Parquet files and for Python functions (`docs/decisions/27-time.md`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import time

from airflow_nrt.basics.nested_values import converted
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import DataType

DIGITS = 3
"""Digits of the fraction of a second that are kept."""
SPARK_TIME = DataType("TIME", precision=6)

_DAY = 86_400_000
_HOUR, _TWO = "([01][0-9]|2[0-3])", "[0-5][0-9]"
_FRACTION = r"([.][0-9]{0,9})?"
_OF_CSV = rf"^{_HOUR}:{_TWO}(:{_TWO}{_FRACTION})?\z"
_OF_JSON = rf"^{_HOUR}:{_TWO}:{_TWO}{_FRACTION}\z"
_MIDNIGHT = r"^24:00:00([.]0*)?\z"
_BLANKS = " \t\n\v\f\r"
_OF_CAST = r"^\s*([01]?[0-9]|2[0-3])(:[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]*)?)?)?\s*\z"
_LITERAL = re.compile(r"([01]?[0-9]|2[0-3]):([0-5]?[0-9]):([0-5]?[0-9])(?:[.]([0-9]{1,9}))?")


def literal(text: str) -> tuple[int, DataType] | None:
    """The value and the type of `TIME '10:20:30.5'`, None if there is no such time."""
    found = _LITERAL.fullmatch(text)
    if found is None:
        return None
    hour, minute, second = map(int, found.groups()[:3])
    fraction = (found[4] or "")[:DIGITS]
    millis = ((hour * 60 + minute) * 60 + second) * 1000 + int(fraction.ljust(DIGITS, "0"))
    return millis, DataType("TIME", precision=len(fraction), nullable=False)


# ------------------------------------------------------------------------------------------------- timestamps


def as_timestamp(sql: str) -> str:
    """The TIMESTAMP of this time on the first day of 1970.

    >>> print(as_timestamp("t"))
    CAST(timestamp_millis(t) AS TIMESTAMP_NTZ)
    """
    return f"CAST(timestamp_millis({sql}) AS TIMESTAMP_NTZ)"


def of_timestamp(sql: str) -> str:
    """The time that a TIMESTAMP shows.

    >>> print(of_timestamp("ts"))
    CAST(pmod(unix_millis(CAST(ts AS TIMESTAMP)), 86400000) AS INT)
    """
    return f"CAST(pmod(unix_millis(CAST({sql} AS TIMESTAMP)), {_DAY}) AS INT)"


def to_digits(sql: str, digits: int) -> str:
    """The time, cut to this many digits of its fraction of a second.

    >>> print(to_digits("t", 0))
    CAST(t div 1000 * 1000 AS INT)
    """
    unit = 10 ** (DIGITS - digits)
    return sql if unit == 1 else f"CAST({sql} div {unit} * {unit} AS INT)"


# ------------------------------------------------------------------------------------------------- as texts


def as_text(sql: str, digits: int) -> str:
    """The text that CAST gives: a type with fraction digits shows at least one.

    >>> print(as_text("t", 0))
    date_format(timestamp_millis(t), 'HH:mm:ss')
    """
    if not digits:
        return _formatted(sql, "HH:mm:ss")
    full = _formatted(sql, "HH:mm:ss." + "S" * digits)
    return f"regexp_replace({full}, '([.][0-9]+?)0+$', '$1')"


def as_field(sql: str) -> str:
    """The text in csv and json: no more digits than it needs.

    >>> print(as_field("t"))
    regexp_replace(date_format(timestamp_millis(t), 'HH:mm:ss.SSS'), '[.]?0+$', '')
    """
    return f"regexp_replace({_formatted(sql, 'HH:mm:ss.SSS')}, '[.]?0+$', '')"


def time_of(field: str) -> time:
    """A text of `as_field` in Python."""
    return time.fromisoformat(field.ljust(len("HH:mm:ss.SSS"), "0") if "." in field else field)


def as_printed(sql: str) -> str:
    """The text that `print` shows, as Java does.

    >>> print(as_printed("t"))
    regexp_replace(date_format(timestamp_millis(t), 'HH:mm:ss.SSS'), '(:00)?[.]000$', '')
    """
    return f"regexp_replace({_formatted(sql, 'HH:mm:ss.SSS')}, '(:00)?[.]000$', '')"


def _formatted(sql: str, pattern: str) -> str:
    return f"date_format(timestamp_millis({sql}), '{pattern}')"


# ------------------------------------------------------------------------------------------------- of texts


def of_text(sql: str) -> str:
    r"""The time that CAST reads, else NULL: `1:2:3.5`, `10:20`, `10`, blanks around; a fourth digit of the fraction
    rounds.

    >>> print(of_text("x").replace(string_literal(_BLANKS), "' '"))
    IF(x RLIKE '^\\s*([01]?[0-9]|2[0-3])(:[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]*)?)?)?\\s*\\z',
    CAST(least((unix_micros(try_cast(concat('1970-01-01 ', concat(trim(BOTH ' ' FROM x), IF(contains(x, ':'), '',
    ':00'))) AS TIMESTAMP)) + 500) div 1000, 86399999) AS INT), NULL)
    """
    text = f"concat(trim(BOTH {string_literal(_BLANKS)} FROM {sql}), IF(contains({sql}, ':'), '', ':00'))"
    # Rounding must not give a time of the next day.
    millis = f"least((unix_micros({_on_first_day(text)}) + 500) div 1000, {_DAY - 1})"
    return f"IF({sql} RLIKE {string_literal(_OF_CAST)}, CAST({millis} AS INT), NULL)"


def of_csv_field(sql: str) -> str:
    r"""The time that Flink's csv reads, else NULL: ISO 8601, with or without seconds.

    >>> print(of_csv_field("x"))
    IF(x RLIKE '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{0,9})?)?\\z',
    CAST(unix_millis(try_cast(concat('1970-01-01 ', x) AS TIMESTAMP)) AS INT), NULL)
    """
    return f"IF({sql} RLIKE {string_literal(_OF_CSV)}, {_millis(sql)}, NULL)"


def of_json_field(sql: str) -> str:
    r"""The time that Flink's json reads, else NULL: with seconds, and the midnight that ends a day.

    >>> print(of_json_field("x"))
    IF(x RLIKE '^24:00:00([.]0*)?\\z', 0, IF(x RLIKE '^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{0,9})?\\z',
    CAST(unix_millis(try_cast(concat('1970-01-01 ', x) AS TIMESTAMP)) AS INT), NULL))
    """
    read = f"IF({sql} RLIKE {string_literal(_OF_JSON)}, {_millis(sql)}, NULL)"
    return f"IF({sql} RLIKE {string_literal(_MIDNIGHT)}, 0, {read})"


def _millis(text: str) -> str:
    """SQL of the milliseconds since midnight of a text that is a time of day.

    >>> print(_millis("x"))
    CAST(unix_millis(try_cast(concat('1970-01-01 ', x) AS TIMESTAMP)) AS INT)
    """
    return f"CAST(unix_millis({_on_first_day(text)}) AS INT)"


def _on_first_day(text: str) -> str:
    """SQL of a time of day in a text, as a timestamp of the first day.

    >>> print(_on_first_day("x"))
    try_cast(concat('1970-01-01 ', x) AS TIMESTAMP)
    """
    return f"try_cast(concat('1970-01-01 ', {text}) AS TIMESTAMP)"


# ------------------------------------------------------------------------------------------------- Spark's own


def as_spark_time(sql: str) -> str:
    return f"(TIME '00:00:00' + {sql} * INTERVAL '0.001' SECOND)"


def of_spark_time(sql: str) -> str:
    """SQL of a time of day from Spark's TIME.

    >>> print(of_spark_time("t"))
    CAST(floor(CAST(t AS DECIMAL(11,6)) * 1000) AS INT)
    """
    return f"CAST(floor(CAST({sql} AS DECIMAL(11,6)) * 1000) AS INT)"


# ------------------------------------------------------------------------------------------------- values with times


def times_as(kind: DataType, other: DataType) -> DataType:
    """The type with this one in place of each TIME."""
    if kind.name == "TIME":
        return other.with_nullable(kind.nullable)
    return replace(kind, children=tuple((name, times_as(child, other)) for name, child in kind.children))


def with_times(sql: str, kind: DataType, convert: Callable[[str], str]) -> str:
    """The value with each TIME in it converted.

    >>> print(with_times("a", DataType("ARRAY", children=(("element", DataType("TIME", 3)),)), as_field))
    transform(a, _nrt_d0 -> regexp_replace(date_format(timestamp_millis(_nrt_d0), 'HH:mm:ss.SSS'), '[.]?0+$', ''))
    """
    return converted(sql, kind, lambda one: one.name == "TIME", lambda time, _: convert(time))
