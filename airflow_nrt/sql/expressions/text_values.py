"""Texts as values: Flink's grammar of each type, as SQL that is NULL if the text is no value of the type.

CAST and TRY_CAST read texts by it, as do TO_DATE, TO_TIMESTAMP and TO_TIMESTAMP_LTZ without a pattern.
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.basics.decimals import read_decimal
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import DataType

_WHOLE = r"^ *([+-]?)(?=[0-9.])([0-9]*)(?:\.[0-9]*)? *\z"
_WORD = r"^[A-Za-z0-9]+\z"
_DECIMAL = r"^[ \t\n]*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[ \t\n]*\z"
_INFINITE_OR_NONE = r"^\s*[+-]?(?:Infinity|NaN)\s*\z|^(?!\s*[+-]?(?i:inf|infinity|nan)\s*\z)"
_DAY = r"^0*([0-9]{1,4})(?:-0*([0-9]{1,2})(?:-0*([0-9]{1,2}))?)?\z"
_TIME = r"[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}"
_TIMESTAMP = (
    rf"^([0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}(?: {_TIME}(?:\.[0-9]{{0,6}})?)?)(?:(?<=\.[0-9]{{6}})[0-9]{{1,3}})?\z"
)
_LAST_DAYS = r"^([0-9]+-[0-9]+)-(?:29|30|31)(?![0-9])"
_MIDNIGHT = r" 24(:0?0:0?0(?:\.0*)?)\z"


def value_of(text: str, target: DataType) -> str:
    """SQL of the value of a text. `target` is any type that a text can be cast to."""
    return _READ[target.name](text, target)


def date_of(text: str) -> str:
    r"""SQL of the date in a text: a date, a year, a month, or a timestamp, whose time is cut.

    There may be blanks around the numbers. If the text begins with blanks, nothing may follow the date.

    >>> print(date_of("s"))
    try_cast(concat(lpad(nullif(regexp_extract(IF(s LIKE ' %', regexp_replace(trim(s), ' *- *', '-'), split_part(s, ' ',
    1)), '^0*([0-9]{1,4})(?:-0*([0-9]{1,2})(?:-0*([0-9]{1,2}))?)?\\z', 1), ''), 4, '0'), '-',
    coalesce(nullif(regexp_extract(IF(s LIKE ' %', regexp_replace(trim(s), ' *- *', '-'), split_part(s, ' ', 1)),
    '^0*([0-9]{1,4})(?:-0*([0-9]{1,2})(?:-0*([0-9]{1,2}))?)?\\z', 2), ''), '1'), '-',
    coalesce(nullif(regexp_extract(IF(s LIKE ' %', regexp_replace(trim(s), ' *- *', '-'), split_part(s, ' ', 1)),
    '^0*([0-9]{1,4})(?:-0*([0-9]{1,2})(?:-0*([0-9]{1,2}))?)?\\z', 3), ''), '1')) AS DATE)
    """
    day = f"IF({text} LIKE ' %', regexp_replace(trim({text}), ' *- *', '-'), split_part({text}, ' ', 1))"

    def part(n: int) -> str:
        return f"regexp_extract({day}, {string_literal(_DAY)}, {n})"

    first = f"coalesce(nullif({part(2)}, ''), '1'), '-', coalesce(nullif({part(3)}, ''), '1')"
    return f"try_cast(concat(lpad(nullif({part(1)}, ''), 4, '0'), '-', {first}) AS DATE)"


def timestamp_of(text: str) -> str:
    r"""SQL of the timestamp in a text: a date, or a date and a time with seconds, without a zone.

    A day after the last one of its month, up to the 31st, is the last one. 24:00:00 is the next midnight.

    >>> print(timestamp_of("s"))
    coalesce(try_cast(regexp_extract(s, '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:
    [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\\.[0-9]{0,6})?)?)(?:(?<=\\.[0-9]{6})[0-9]{1,3})?\\z', 1) AS TIMESTAMP_NTZ),
    try_cast(regexp_replace(regexp_extract(s, '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:
    [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\\.[0-9]{0,6})?)?)(?:(?<=\\.[0-9]{6})[0-9]{1,3})?\\z', 1),
    '^([0-9]+-[0-9]+)-(?:29|30|31)(?![0-9])', '$1-30') AS TIMESTAMP_NTZ), try_cast(regexp_replace(regexp_extract(s,
    '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:
    [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\\.[0-9]{0,6})?)?)(?:(?<=\\.[0-9]{6})[0-9]{1,3})?\\z', 1),
    '^([0-9]+-[0-9]+)-(?:29|30|31)(?![0-9])', '$1-29') AS TIMESTAMP_NTZ), try_cast(regexp_replace(regexp_extract(s,
    '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:
    [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\\.[0-9]{0,6})?)?)(?:(?<=\\.[0-9]{6})[0-9]{1,3})?\\z', 1),
    '^([0-9]+-[0-9]+)-(?:29|30|31)(?![0-9])', '$1-28') AS TIMESTAMP_NTZ), IF(regexp_extract(s,
    '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:
    [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\\.[0-9]{0,6})?)?)(?:(?<=\\.[0-9]{6})[0-9]{1,3})?\\z', 1) LIKE '% 24:%',
    try_cast(regexp_replace(regexp_extract(s, '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:
    [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\\.[0-9]{0,6})?)?)(?:(?<=\\.[0-9]{6})[0-9]{1,3})?\\z', 1), '
    24(:0?0:0?0(?:\\.0*)?)\\z', ' 0$1') AS TIMESTAMP_NTZ) + INTERVAL '1' DAY, NULL))
    """
    read = f"regexp_extract({text}, {string_literal(_TIMESTAMP)}, 1)"
    earlier = (f"regexp_replace({read}, {string_literal(_LAST_DAYS)}, '$1-{day}')" for day in (30, 29, 28))
    casts = (f"try_cast({one} AS TIMESTAMP_NTZ)" for one in (read, *earlier))
    midnight = f"regexp_replace({read}, {string_literal(_MIDNIGHT)}, ' 0$1')"
    tomorrow = f"IF({read} LIKE '% 24:%', try_cast({midnight} AS TIMESTAMP_NTZ) + INTERVAL '1' DAY, NULL)"
    return f"coalesce({', '.join(casts)}, {tomorrow})"


def _whole_of(text: str, target: DataType) -> str:
    r"""A whole number. A fraction is cut.

    >>> print(_whole_of("s", DataType("INT")))
    IF(s RLIKE '^ *([+-]?)(?=[0-9.])([0-9]*)(?:\\.[0-9]*)? *\\z', try_cast(regexp_replace(s, '^
    *([+-]?)(?=[0-9.])([0-9]*)(?:\\.[0-9]*)? *\\z', '$10$2') AS INT), NULL)
    """
    shape = string_literal(_WHOLE)
    return f"IF({text} RLIKE {shape}, try_cast(regexp_replace({text}, {shape}, '$10$2') AS {target.spark}), NULL)"


def _shaped(shape: str) -> Callable[[str, DataType], str]:
    """The value as Spark reads it, if the text has this shape.

    >>> print(_shaped("^[0-9]+")("s", DataType("DOUBLE")))
    IF(s RLIKE '^[0-9]+', try_cast(s AS DOUBLE), NULL)
    """

    def read(text: str, target: DataType) -> str:
        return f"IF({text} RLIKE {string_literal(shape)}, try_cast({text} AS {target.spark}), NULL)"

    return read


def _decimal_of(text: str, target: DataType) -> str:
    return read_decimal(text, _shaped(_DECIMAL)(text, target))


_READ: dict[str, Callable[[str, DataType], str]] = {
    "BOOLEAN": _shaped(_WORD),
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), _whole_of),
    **dict.fromkeys(("FLOAT", "DOUBLE"), _shaped(_INFINITE_OR_NONE)),
    "DECIMAL": _decimal_of,
    "DATE": lambda text, target: date_of(text),
    "TIMESTAMP": lambda text, target: timestamp_of(text),
    **dict.fromkeys(("BYTES", "VARBINARY", "BINARY"), lambda text, target: f"CAST({text} AS {target.spark})"),
}
