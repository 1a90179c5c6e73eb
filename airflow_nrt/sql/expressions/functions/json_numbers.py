"""Numbers of JSON by their text, as Flink writes them: `12.50`, 1e2 as `1E+2`, -0.0 as `0.0`, of any number of digits.

To Flink a number with a fraction or an exponent is a BigDecimal of Java. Spark's VARIANT takes the zeros off its end,
or makes a DOUBLE of it. So a document with such numbers is read with a string in the place of each: `MARK` (# here) and
its text.

{"a":12.50,"b":[1,1e2]}     {"a":"#12.50","b":[1,"#1e2"]}     {"a":12.50,"b":[1,1E+2]}

Whole numbers of up to 38 digits, and fractions without a zero at their end, are in a VARIANT as they are. Documents
without others are left alone.
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.basics.spelling import string_literal

MARK = "\uffff"
"""It is not a character, so no text of a document begins with it."""
_END = r"(?=[\s,}\]]|$)"
_CHANGED = (
    rf"[.eE][-+0-9][0-9]*+{_END}"
    r"(?:(?<=0)|(?<=[0-9][eE][-+0-9][0-9]{0,30})|(?<=[.]0{6}[0-9]{1,40})|(?<=[0-9.]{40}))"
)
_MANY_DIGITS = "[0-9]{39}"
"""One is found in each document with a number that a VARIANT changes, and in few others: zeros that end a fraction, an
exponent, six zeros after a point, or more than 38 digits. As one pattern they take three times as long."""
_TOO_LONG = r"(?!-?(?:[0-9]{1001}|[0-9.]{1002}))"
"""Neither Flink nor Spark takes such a number for JSON."""
_BEFORE = r"""\G((?:[^"0-9-]++|"(?:[^"\\]++|\\.)*+"|-?[0-9]{1,38}+(?![0-9.eE]))*+)"""
_NUMBER = r"(-?(?:0|[1-9][0-9]*+)(?:[.][0-9]++)?+(?:[eE][-+]?[0-9]++)?+)"
_TO_MARK = rf"{_BEFORE}{_TOO_LONG}{_NUMBER}{_END}(?!\s*+:)"
"""Matches follow each other, so that each number is found outside of strings. What is no JSON remains none."""
_NUMBER_FIRST = '^-?[0-9][-+.0-9eE]*"'
_NOT_AS_IN_JAVA = "[eE]|[.]0{6}[0-9]|^-[0.]+$"


def with_texts(document: str) -> str:
    """SQL of the document in which numbers that a VARIANT would change are strings behind `MARK`.

    It is "IF(`s` RLIKE '…' OR `s` RLIKE '…', regexp_replace(`s`, '…', '…'), `s`)".
    """
    marked = f"""regexp_replace({document}, {string_literal(_TO_MARK)}, '$1"{MARK}$2"')"""
    is_changed = f"{document} RLIKE {string_literal(_CHANGED)} OR {document} RLIKE {string_literal(_MANY_DIGITS)}"
    return f"IF({is_changed}, {marked}, {document})"


def number_of(text: str, is_decimal: str, document: str, value_in: Callable[[str], str]) -> str:
    """SQL of a number's text. `text` is what a VARIANT has of it, `value_in` finds it in the SQL of a document.

    A decimal has lost nothing, if its text with a zero more is nowhere in the document: only then is it read again.
    """
    zero_more = "concat(_nrt_t, IF(contains(_nrt_t, '.'), '0', '.0'))"
    kept = f"{is_decimal} AND NOT contains({document}, {zero_more}) AND NOT contains(_nrt_t, '0.000000')"
    again = f"try_variant_get({value_in(with_texts(document))}, '$', 'string')"
    return f"transform(array({text}), _nrt_t -> IF({kept}, _nrt_t, {_each(again, number_or_text('_nrt_j'))}))[0]"


def number_or_text(text: str) -> str:
    """SQL of a text, which may be that of a number behind `MARK`."""
    return f"IF(startswith({text}, '{MARK}'), {_as_java_writes(f'substring({text}, 2)')}, {text})"


def without_marks(json: str) -> str:
    """SQL of a text that is JSON, with numbers in the place of their marked strings."""
    number = _as_java_writes("substring_index(_nrt_p, '\"', 1)")
    number = f"""concat({number}, substring(_nrt_p, instr(_nrt_p, '"') + 1))"""
    part = f"""IF(_nrt_i > 0, IF(_nrt_p RLIKE '{_NUMBER_FIRST}', {number}, concat('"{MARK}', _nrt_p)), _nrt_p)"""
    joined = f"""array_join(transform(split(_nrt_j, '"{MARK}'), (_nrt_p, _nrt_i) -> {part}), '')"""
    return _each(json, f"IF(contains(_nrt_j, '{MARK}'), {joined}, _nrt_j)")


def _each(sql: str, body: str) -> str:
    return f"transform(array({sql}), _nrt_j -> {body})[0]"


def _as_java_writes(text: str) -> str:
    """SQL of a number as BigDecimal writes it: plain, unless it has an exponent, or six zeros after its point.

    An exponent that Java does not take leaves the text as it is.
    """
    digits = f"coalesce(nullif(trim(LEADING '0' FROM regexp_replace({text}, '[eE].*|[^0-9]', '')), ''), '0')"
    exponent = f"coalesce(nullif(regexp_extract({text}, '[eE](.+)', 1), ''), '0')"
    scale = f"try_subtract(length(regexp_extract({text}, '[.]([0-9]+)', 1)), try_cast({exponent} AS INT))"
    d, s = "_nrt_n.d", "_nrt_n.s"
    fraction = f"concat(coalesce(nullif(left({d}, length({d}) - {s}), ''), '0'), '.', lpad(right({d}, {s}), {s}, '0'))"
    power = f"length({d}) - 1L - {s}"
    scientific = (
        f"concat(left({d}, 1), IF(length({d}) > 1, '.', ''), substring({d}, 2), 'E', IF({power} > 0, '+', ''), {power})"
    )
    absolute = (
        f"CASE WHEN {s} = 0 THEN {d} WHEN {s} > 0 AND {power} >= -6 THEN {fraction} WHEN {s} <> 0 THEN {scientific} END"
    )
    signed = f"concat(IF(startswith({text}, '-') AND {d} <> '0', '-', ''), {absolute})"
    written = f"transform(array(struct({digits} AS d, {scale} AS s)), _nrt_n -> coalesce({signed}, {text}))[0]"
    return f"IF({text} RLIKE '{_NOT_AS_IN_JAVA}', {written}, {text})"
