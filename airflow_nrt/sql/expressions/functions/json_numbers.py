"""Numbers of JSON by their text, as Flink writes them: `12.50`, 1e2 as `1E+2`, -0.0 as `0.0`, of any number of digits.

To Flink a number with a fraction or an exponent is a BigDecimal of Java. Spark's VARIANT takes the zeros off its end,
or makes a DOUBLE of it. So a document with such numbers is read with a string in the place of each: `MARK` (# here) and
its text.

{"a":12.50,"b":[1,1e2]}     {"a":"#12.50","b":[1,"#1e2"]}     {"a":12.50,"b":[1,1E+2]}

Rows of entries before `AS_IN_FLINK` have the texts that a VARIANT gives.

Whole numbers of up to 38 digits, and fractions without a zero at their end, are in a VARIANT as they are. Documents
without others are left alone.
"""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.model.row_semantics import AS_IN_FLINK, since

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
_AS_TEXT = '(-?[0-9][-+.0-9eE]*)"'
_NOT_AS_IN_JAVA = "[eE]|[.]0{6}[0-9]|^-[0.]+$"
_TO_DIGITS = "^-?[0.]*(?=[0-9])|[.]|[eE].*"


def with_texts(document: str) -> str:
    """SQL of the document in which numbers that a VARIANT would change are strings behind `MARK`.

    It is "IF(`s` RLIKE '…' OR `s` RLIKE '…', regexp_replace(`s`, '…', '…'), `s`)".
    """
    marked = f"""regexp_replace({document}, {string_literal(_TO_MARK)}, '$1"{MARK}$2"')"""
    is_changed = f"{document} RLIKE {string_literal(_CHANGED)} OR {document} RLIKE {string_literal(_MANY_DIGITS)}"
    return since(AS_IN_FLINK, f"IF({is_changed}, {marked}, {document})", document)


def number_of(text: str, is_decimal: str, document: str, value_in: Callable[[str], str]) -> str:
    """SQL of a number's text. `text` is what a VARIANT has of it, `value_in` finds it in the SQL of a document.

    A decimal has lost nothing, if its text with a zero or a point more is nowhere in the document. Otherwise it is read
    again: "IF(… AND NOT contains(`s`, concat(_nrt_x.v, '0')) …, _nrt_x.v, transform(…)[0])".
    """
    more = " AND ".join(f"NOT contains({document}, concat({text}, '{end}'))" for end in ("0", "."))
    kept = f"{is_decimal} AND {more} AND NOT contains({text}, '0.000000')"
    again = f"try_variant_get({value_in(with_texts(document))}, '$', 'string')"
    unmarked = f"trim(LEADING '{MARK}' FROM {again})"
    return since(AS_IN_FLINK, f"IF({kept}, {text}, {_as_java_writes(unmarked)})", text)


def number_or_text(text: str) -> str:
    """SQL of a text, which may be that of a number behind `MARK`: "IF(startswith(x, '…'), transform(…)[0], x)"."""
    unmarked = _as_java_writes(f"substring({text}, 2)")
    return since(AS_IN_FLINK, f"IF(startswith({text}, '{MARK}'), {unmarked}, {text})", text)


def without_marks(json: str) -> str:
    """SQL of a text that is JSON, with numbers in the place of their marked strings.

    It is "transform(array(…), _nrt_j -> IF(contains(_nrt_j, '…'), array_join(transform(…), ''), _nrt_j))[0]".
    """
    parts = f"""split(_nrt_j, '"{MARK}(?={_AS_TEXT})')"""
    number, rest = f"regexp_extract(_nrt_p, '^{_AS_TEXT}', 1)", f"regexp_replace(_nrt_p, '^{_AS_TEXT}', '')"
    joined = f"array_join({_all_as_java_writes(parts, number, rest)}, '')"
    in_java = f"transform(array({json}), _nrt_j -> IF(contains(_nrt_j, '{MARK}'), {joined}, _nrt_j))[0]"
    return since(AS_IN_FLINK, in_java, json)


def _as_java_writes(text: str) -> str:
    return _all_as_java_writes(f"array({text})", "_nrt_p", "''") + "[0]"


def _all_as_java_writes(parts: str, number: str, rest: str) -> str:
    """SQL of an array of texts, each of a number as BigDecimal writes it and of a rest, which are SQL over `_nrt_p`.

    A number is plain, unless it has an exponent, or six zeros after its point. An exponent that Java does not take
    leaves it as it is: "transform(transform(split(…), _nrt_p -> struct(… AS x, …)), _nrt_n -> concat(IF(…), …))".
    """
    exponent = f"try_cast(regexp_extract(concat({number}, 'e0'), '[eE]([^e]+)', 1) AS INT)"
    scale = f"try_subtract(length(regexp_extract({number}, '[.]([0-9]+)', 1)), {exponent})"
    digits = f"regexp_replace({number}, '{_TO_DIGITS}', '')"
    known = f"transform({parts}, _nrt_p -> struct({number} AS x, {digits} AS d, {scale} AS s, {rest} AS r))"
    x, d, s = "_nrt_n.x", "_nrt_n.d", "_nrt_n.s"
    whole = f"lpad({d}, greatest(length({d}), {s} + 1), '0')"
    fraction = f"regexp_replace({whole}, concat('(?=.{{', {s}, '}}$)'), '.')"
    power = f"concat('E', IF({s} < 0, '+', ''), length({d}) - 1L - {s})"
    absolute = (
        f"CASE WHEN {s} = 0 THEN {d} WHEN {s} BETWEEN 1 AND length({d}) + 5 THEN {fraction} "
        f"ELSE concat(regexp_replace({d}, '^(.)(.+)', '$1.$2'), {power}) END"
    )
    sign = f"IF({d} = '0', '', regexp_extract({x}, '^-', 0))"
    written = f"IF({s} IS NOT NULL AND {x} RLIKE '{_NOT_AS_IN_JAVA}', concat({sign}, {absolute}), {x})"
    return f"transform({known}, _nrt_n -> concat({written}, _nrt_n.r))"
