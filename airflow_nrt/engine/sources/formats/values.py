"""The value of each type for the text of a field: what Flink's csv and json accept, and nothing else.

A type is one line of `READINGS`. A text that is no value becomes NULL (`is_wrong`), never another value: no part of it,
such as a zone or a fraction, is ignored. Fields of json are texts, too. A number begins with `NUMBER`, where it matters
that it is a number, or how it was written (`json.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from airflow_nrt.basics.decimals import is_number, read_decimal
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.times_of_day import of_csv_field, of_json_field
from airflow_nrt.basics.types import DataType

NUMBER = "\uffff"
"""The mark before a number of json. It is not a character, so no text begins with it."""


@dataclass(frozen=True)
class Style:
    """The patterns of a format: a date, the separator of date and time, and the zone of an instant."""

    date: str
    between: str
    zone: str


CSV = Style("[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}", " ", "Z")
JSON = Style("[0-9]{4}-[0-9]{2}-[0-9]{2}", "[ T]", "(?:Z|[+-][0-9]{2}:[0-9]{2})")
_DAY, _TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2}", "[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.][0-9]{0,9})?"


@dataclass(frozen=True)
class Reading:
    """`value` maps SQL of a text to SQL of its value, NULL if it has none. `form` describes the expected form."""

    value: Callable[[str, DataType, Style], str]
    form: str = ""


def value_sql(text: str, kind: DataType, style: Style) -> str:
    """SQL of the value of a text; NULL if the text is NULL, or no value.

    >>> print(value_sql("x", DataType("DATE"), CSV))
    IF(x RLIKE '^ *[0-9]{4}-[0-9]{1,2}-[0-9]{1,2} *$', try_cast(x AS DATE), NULL)
    """
    return READINGS[kind.name].value(text, kind, style)


def form_of(kind: DataType) -> str:
    """A description of the expected form of a type, which follows a malformed text in a message."""
    form = READINGS[kind.name].form
    return f" is no {kind.flink}" + (f": {form}" if form else "")


def unfit_form_of(kind: DataType) -> str:
    """The same after a text that is a number, or holds one, which does not fit its DECIMAL."""
    return f" does not fit {kind.flink}" if kind.name == "DECIMAL" else f" has a number that does not fit {kind.flink}"


def may_be_unfit(kind: DataType) -> bool:
    """Whether a number in a text may merely not fit, and is NULL then. In a value nothing is NULL that is NOT NULL."""
    inside = (child.nullable if child.name == "DECIMAL" else may_be_unfit(child) for _, child in kind.children)
    return kind.name == "DECIMAL" or any(inside)


def is_wrong(text: str, value: str, kind: DataType, style: Style, depth: int = 0, *, but_unfit: bool = False) -> str:
    """SQL predicate: a text is not NULL, and it or something in it is no value of its type. Never NULL itself.

    With `but_unfit`, numbers that merely do not fit their DECIMAL are not wrong.

    >>> print(is_wrong("x", "v", DataType("INT"), CSV))
    (x IS NOT NULL AND (v IS NULL))
    """
    inside = "".join(f" OR {one}" for one in _wrong_inside(text, kind, style, depth, but_unfit))
    unfit = f" AND NOT {is_number(text)}" if but_unfit and kind.name == "DECIMAL" and kind.nullable else ""
    return f"({text} IS NOT NULL AND ({value} IS NULL{inside}){unfit})"


def is_unfit(text: str, value: str, kind: DataType, style: Style) -> str:
    """SQL predicate of a text that is wrong: its numbers do not fit, and nothing else is wrong; '' if that can't be.

    >>> print(is_unfit("x", "v", DataType("INT"), CSV) or "none")
    none
    """
    if not may_be_unfit(kind):
        return ""
    return is_number(text) if kind.name == "DECIMAL" else f"NOT {is_wrong(text, value, kind, style, but_unfit=True)}"


def _wrong_inside(text: str, kind: DataType, style: Style, depth: int, but_unfit: bool) -> list[str]:
    def wrong(one: str, child: DataType, depth: int) -> str:
        return is_wrong(one, value_sql(one, child, style), child, style, depth, but_unfit=but_unfit)

    if kind.name == "ROW":
        return [wrong(f"{_object(text)}[{string_literal(name)}]", child, depth) for name, child in kind.children]
    if not kind.children:
        return []
    one, child = f"x{depth}", kind.children[-1][1]
    elements = _array(text) if kind.name == "ARRAY" else f"map_values({_object(text)})"
    return [f"coalesce(exists({elements}, {one} -> {wrong(one, child, depth + 1)}), false)"]


# ---------------------------------------------------------------------------------------------------- scalars


def bare(text: str, style: Style) -> str:
    """SQL of the text without the mark of a number.

    >>> print(bare("x", CSV))
    x
    """
    return text if style is CSV else f"IF(startswith({text}, '{NUMBER}'), substring({text}, 2), {text})"


def _cast(text: str, kind: DataType, style: Style) -> str:
    """SQL of a value that Spark reads as Flink does.

    >>> print(_cast("x", DataType("SMALLINT"), CSV))
    try_cast(x AS SMALLINT)
    """
    return f"try_cast({bare(text, style)} AS {kind.spark})"


def _whole(text: str, kind: DataType, style: Style) -> str:
    """In json a number with a fraction is truncated, and a text with a fraction is no value.

    >>> print(_whole("x", DataType("BIGINT"), CSV))
    try_cast(x AS BIGINT)
    """
    if style is CSV or kind.name not in ("INT", "BIGINT"):
        return _cast(text, kind, style)
    number = read_decimal(text, f"try_cast(substring({text}, 2) AS DECIMAL(38,18))")
    cut = f"try_cast({number} AS {kind.spark})"
    return f"coalesce({_cast(text, kind, style)}, IF(startswith({text}, '{NUMBER}'), {cut}, NULL))"


def _decimal(text: str, kind: DataType, style: Style) -> str:
    return read_decimal(text, _cast(text, kind, style))


def _approximate(text: str, kind: DataType, style: Style) -> str:
    """SQL of a FLOAT or DOUBLE.

    >>> print(_approximate("x", DataType("DOUBLE"), CSV))
    try_cast(x AS DOUBLE)
    """
    # Spark quotes what is no finite number: "NaN".
    return f"try_cast({text if style is CSV else _unquoted(bare(text, style))} AS {kind.spark})"


def _unquoted(text: str) -> str:
    """SQL of a text without the quotes around it.

    >>> print(_unquoted("x"))
    trim(BOTH '"' FROM x)
    """
    return f"trim(BOTH '\"' FROM {text})"


def _boolean(text: str, kind: DataType, style: Style) -> str:
    """SQL of a BOOLEAN: any text is a value.

    >>> print(_boolean("x", DataType("BOOLEAN"), CSV))
    lower(trim(x)) = 'true'
    """
    return f"lower(trim({text})) = 'true'"


def _string(text: str, kind: DataType, style: Style) -> str:
    r"""In json an object or an array is its text, as Flink writes it; a number is its text as it was written.

    >>> print(_string("x", DataType("STRING"), JSON).replace(NUMBER, "…"))
    IF(contains(x, '…'), IF(x RLIKE '^[\\[{]', get_json_object(regexp_replace(x, '"?…([0-9.eE+-]+)"?', '$1'), '$'),
    regexp_replace(x, '"?…([0-9.eE+-]+)"?', '$1')), x)
    """
    if style is CSV:
        return text
    unmarked = f"regexp_replace({text}, '\"?{NUMBER}([0-9.eE+-]+)\"?', '$1')"
    written = f"IF({text} RLIKE '^[\\\\[{{]', get_json_object({unmarked}, '$'), {unmarked})"
    return f"IF(contains({text}, '{NUMBER}'), {written}, {text})"


def _bytes(text: str, kind: DataType, style: Style) -> str:
    """SQL of bytes, which are written in base64.

    >>> print(_bytes("x", DataType("BYTES"), CSV))
    try_to_binary(x, 'base64')
    """
    return f"try_to_binary({text}, 'base64')"


def _like(pattern: str, text: str, kind: DataType) -> str:
    """SQL of a value whose text has this pattern.

    >>> print(_like("[0-9]{4}-[0-9]{2}-[0-9]{2}", "x", DataType("DATE")))
    IF(x RLIKE '^ *[0-9]{4}-[0-9]{2}-[0-9]{2} *$', try_cast(x AS DATE), NULL)
    """
    return f"IF({text} RLIKE '^ *{pattern} *$', try_cast({text} AS {kind.spark}), NULL)"


def _date(text: str, kind: DataType, style: Style) -> str:
    return _like(style.date, text, kind)


def _timestamp(text: str, kind: DataType, style: Style) -> str:
    return _like(f"{_DAY}{style.between}{_TIME}", text, kind)


def _instant(text: str, kind: DataType, style: Style) -> str:
    return _like(f"{_DAY}{style.between}{_TIME}{style.zone}", text, kind)


def _time(text: str, kind: DataType, style: Style) -> str:
    return of_csv_field(text) if style is CSV else of_json_field(text)


# ---------------------------------------------------------------------------------------------------- of json alone


def _object(text: str) -> str:
    """SQL of the texts in an object, by name.

    >>> print(_object("x"))
    from_json(x, 'MAP<STRING,STRING>')
    """
    return f"from_json({text}, 'MAP<STRING,STRING>')"


def _array(text: str) -> str:
    """SQL of the texts in an array.

    >>> print(_array("x"))
    from_json(x, 'ARRAY<STRING>')
    """
    return f"from_json({text}, 'ARRAY<STRING>')"


def _row(text: str, kind: DataType, style: Style) -> str:
    """SQL of a ROW, NULL if the text is no object.

    >>> print(_row("x", DataType("ROW", children=(("id", DataType("STRING")),)), CSV))
    IF(from_json(x, 'MAP<STRING,STRING>') IS NULL, NULL, named_struct('id', from_json(x, 'MAP<STRING,STRING>')['id']))
    """
    fields = (
        f"{string_literal(name)}, {value_sql(f'{_object(text)}[{string_literal(name)}]', child, style)}"
        for name, child in kind.children
    )
    return f"IF({_object(text)} IS NULL, NULL, named_struct({', '.join(fields)}))"


def _elements(text: str, kind: DataType, style: Style) -> str:
    """SQL of an ARRAY.

    >>> print(_elements("x", DataType("ARRAY", children=(("element", DataType("STRING")),)), CSV))
    transform(from_json(x, 'ARRAY<STRING>'), e1 -> e1)
    """
    one = f"e{_depth(kind)}"
    return f"transform({_array(text)}, {one} -> {value_sql(one, kind.children[0][1], style)})"


def _map(text: str, kind: DataType, style: Style) -> str:
    """The first value of a repeated key counts. If two texts are one key, or a text is no key, it is no map.

    No value is looked up by its key, because that would take quadratic time.

    >>> kind = DataType("MAP", children=(("key", DataType("STRING")), ("value", DataType("STRING"))))
    >>> print(_map("x", kind, CSV))
    transform(array(transform(transform(array(map_entries(from_json(x, 'MAP<STRING,STRING>'))), a1 ->
    IF(size(array_distinct(transform(a1, x1 -> x1.key))) < size(a1), transform(transform(array(array_sort(transform(a1,
    (x1, n1) -> struct(x1.key, n1 AS n, x1.value)))), b1 -> array_sort(transform(filter(b1, (x1, n1) -> n1 = 0 OR b1[n1
    - 1].key <> x1.key), x1 -> struct(x1.n, x1.key, x1.value))))[0], x1 -> struct(x1.key, x1.value)), a1))[0], e1 ->
    struct(e1.key AS key, e1.value AS value))), r1 -> IF(exists(transform(r1, e1 -> e1.key), e1 -> e1 IS NULL) OR
    size(array_distinct(transform(r1, e1 -> e1.key))) < size(r1), NULL, map_from_entries(r1)))[0]
    """
    depth, (key, of) = _depth(kind), (child for _, child in kind.children)
    one, read = f"e{depth}", f"r{depth}"
    pair = f"struct({value_sql(f'{one}.key', key, style)} AS key, {value_sql(f'{one}.value', of, style)} AS value)"
    keys = f"transform({read}, {one} -> {one}.key)"
    is_none = f"exists({keys}, {one} -> {one} IS NULL) OR size(array_distinct({keys})) < size({read})"
    pairs = f"transform({_first_entries(f'map_entries({_object(text)})', depth)}, {one} -> {pair})"
    return _named(read, pairs, f"IF({is_none}, NULL, map_from_entries({read}))")


def _first_entries(entries: str, depth: int) -> str:
    """The entries of a map, without later entries of a repeated key."""
    all_of, by_key, one, n = (f"{name}{depth}" for name in "abxn")
    keys = f"transform({all_of}, {one} -> {one}.key)"
    numbered = f"array_sort(transform({all_of}, ({one}, {n}) -> struct({one}.key, {n} AS n, {one}.value)))"
    firsts = f"filter({by_key}, ({one}, {n}) -> {n} = 0 OR {by_key}[{n} - 1].key <> {one}.key)"
    in_order = f"array_sort(transform({firsts}, {one} -> struct({one}.n, {one}.key, {one}.value)))"
    several = f"size(array_distinct({keys})) < size({all_of})"
    found = f"transform({_named(by_key, numbered, in_order)}, {one} -> struct({one}.key, {one}.value))"
    return _named(all_of, entries, f"IF({several}, {found}, {all_of})")


def _named(name: str, sql: str, body: str) -> str:
    """SQL that binds the name to the value inside the body, so that it is computed once.

    >>> print(_named("r", "sqrt(x)", "r + r"))
    transform(array(sqrt(x)), r -> r + r)[0]
    """
    return f"transform(array({sql}), {name} -> {body})[0]"


def _depth(kind: DataType) -> int:
    return max((_depth(child) + 1 for _, child in kind.children), default=0)


_WHOLE = Reading(_whole, "it is written in digits, and what has a fraction is a DOUBLE or a DECIMAL")
_APPROXIMATE, _TEXT = Reading(_approximate), Reading(_string)
_BYTES = Reading(_bytes, "it is written in base64")
READINGS = {
    "BOOLEAN": Reading(_boolean),
    "TINYINT": _WHOLE,
    "SMALLINT": _WHOLE,
    "INT": _WHOLE,
    "BIGINT": _WHOLE,
    "FLOAT": _APPROXIMATE,
    "DOUBLE": _APPROXIMATE,
    "DECIMAL": Reading(_decimal),
    "CHAR": _TEXT,
    "VARCHAR": _TEXT,
    "STRING": _TEXT,
    "BYTES": _BYTES,
    "BINARY": _BYTES,
    "VARBINARY": _BYTES,
    "DATE": Reading(_date, "it is written as '2024-01-31'"),
    "TIME": Reading(_time, "it is written as '09:00:00' or with a fraction"),
    "TIMESTAMP": Reading(
        _timestamp, "it is written as '2024-01-31 09:00:00' or with a fraction; what has a zone is a TIMESTAMP_LTZ"
    ),
    "TIMESTAMP_LTZ": Reading(
        _instant, "it is written as '2024-01-31 09:00:00Z' or with a fraction; what has no zone is a TIMESTAMP"
    ),
    "ARRAY": Reading(_elements, "it, or something in it, is of another type"),
    "MAP": Reading(_map, "it, or something in it, is of another type"),
    "ROW": Reading(_row, "it, or something in it, is of another type"),
}
