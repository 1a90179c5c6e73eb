"""JSON in strings: values at a path, tests, and strings made of values.

A path is strict unless it begins with `lax`. In a strict path whatever is wrong (no JSON, nothing there, a null, the
wrong kind) is for ON ERROR; in a lax one it is for ON EMPTY. That is Flink's rule, and simpler than the standard's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.functions.json_numbers import number_of, with_texts, without_marks
from airflow_nrt.sql.expressions.functions.json_paths import json_of, read_path, text_of, texts_of, value_at
from airflow_nrt.sql.expressions.functions.json_steps import json_kind
from airflow_nrt.sql.expressions.functions.json_texts import JsonText, json_text, member_sql
from airflow_nrt.sql.expressions.functions.signature import (
    TEXT,
    TRUTH,
    Function,
    any_nullable,
    bound,
    check_count,
    check_string,
    constant,
)
from airflow_nrt.sql.expressions.typed import Typed

_TEXTS = ("STRING", "BOOLEAN", "BIGINT")
"""The kinds of JSON values whose text a VARIANT keeps."""
_VALUES = {"BOOLEAN": ("BOOLEAN",), "INT": ("BIGINT",), "DOUBLE": ("BIGINT", "DECIMAL", "DOUBLE")}
"""The types of RETURNING other than strings, with the kinds of JSON values that each takes."""
_LONG = 100
"""A document that is an expression of more letters is computed once."""


def _otherwise(word: str, default: str, kind: DataType, name: str) -> str:
    """SQL of a value that is missing: "CAST('none' AS STRING)" for DEFAULT 'none' ON EMPTY."""
    if word == "ERROR":
        return f"CAST(raise_error('{name} finds no value, and ERROR was asked for') AS {kind.spark})"
    return f"CAST({default} AS {kind.spark})" if word == "DEFAULT" else f"CAST(NULL AS {kind.spark})"


def _unless_null(document: Typed, value_in: Callable[[str], str]) -> str:
    """Gives "CASE WHEN `s` IS NOT NULL THEN … END". A long document is computed once."""
    is_long = len(document.sql) > _LONG
    text = "_nrt_d" if is_long else document.sql
    sql = value_in(text)
    if document.type.nullable:
        sql = f"CASE WHEN {text} IS NOT NULL THEN {sql} END"
    return f"transform(array({document.sql}), _nrt_d -> {sql})[0]" if is_long else sql


def _value(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """JSON_VALUE: "transform(array(…), _nrt_x -> CASE WHEN _nrt_x.k IN (…) THEN _nrt_x.v … END)[0]"."""
    document, where, returning, *cases = arguments
    check_string(document, 1, at, name)
    path, kind = read_path(where, at, name), returning.type.with_nullable(True)
    case, default = cases[:2] if path.lax else cases[2:]
    if not (kind.is_string or kind.name in _VALUES):
        raise SqlError(f"{name} returns STRING, BOOLEAN, INTEGER or DOUBLE, not {kind.flink}", at)
    kinds = ", ".join(map(string_literal, _TEXTS if kind.is_string else _VALUES[kind.name]))
    otherwise = _otherwise(case.word, default.sql, kind, name)
    if path.has_many:
        # JSON_VALUE does not return arrays.
        return Typed(_unless_null(document, lambda _: otherwise), kind)

    def value_in(text: str) -> str:
        both = f"struct(try_cast(_nrt_v AS {kind.spark}) AS v, {json_kind('_nrt_v')} AS k)"
        there = f"transform(array({value_at(text, path)}), _nrt_v -> {both})[0]"
        cases = f"WHEN _nrt_x.k IN ({kinds}) THEN _nrt_x.v"
        if kind.is_string:
            number = number_of("_nrt_x.v", "_nrt_x.k = 'DECIMAL'", text, lambda other: value_at(other, path))
            cases += f" WHEN _nrt_x.k IN ('DECIMAL', 'DOUBLE') THEN {number}"
        return bound(there, f"CASE {cases} ELSE {otherwise} END")

    return Typed(_unless_null(document, value_in), kind)


def _query(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """JSON_QUERY: a value that is neither array nor object needs a wrapper.

    It is "CASE WHEN `s` IS NOT NULL THEN transform(array(…), _nrt_x -> CASE WHEN … THEN … END)[0] END".
    """
    document, where, returning, wrapper, empty, error = arguments
    check_string(document, 1, at, name)
    path, kind = read_path(where, at, name), returning.type.with_nullable(True)
    of_strings = kind.name == "ARRAY" and kind.children[0][1].is_string
    if not of_strings and not kind.is_string:
        raise SqlError(f"{name} returns STRING or ARRAY<STRING>, not {kind.flink}", at)
    word = (empty if path.lax else error).word
    if of_strings and word == "OBJECT":
        raise SqlError(f"{name} RETURNING {kind.flink} can't give EMPTY OBJECT: write EMPTY ARRAY", at)
    blank = {"ARRAY": "array()" if of_strings else "'[]'", "OBJECT": "'{}'"}.get(word)
    nothing = f"CAST({blank} AS {kind.spark})" if blank is not None else _otherwise(word, "", kind, name)
    if path.has_many:
        of_kind, text, elements = "IF(_nrt_x IS NULL, NULL, 'ARRAY')", json_of("_nrt_x"), texts_of("_nrt_x")
    else:
        of_kind, text = json_kind("_nrt_x"), "to_json(_nrt_x)"
        elements = texts_of("try_variant_get(_nrt_x, '$', 'array<variant>')")
    as_it_is = {"WITHOUT": "'ARRAY', 'OBJECT'", "CONDITIONAL": "'ARRAY'", "UNCONDITIONAL": "''"}[wrapper.word]
    if of_strings:
        plain = f"CASE WHEN {of_kind} = 'ARRAY' THEN {elements} ELSE {nothing} END"
        wrapped = f"array({without_marks(text) if path.has_many else text_of('_nrt_x')})"
    else:
        plain, wrapped = text, f"concat('[', {text}, ']')"
    wrapped = nothing if wrapper.word == "WITHOUT" else wrapped
    missing = f"coalesce({of_kind}, 'VOID') = 'VOID'"
    body = f"CASE WHEN {missing} THEN {nothing} WHEN {of_kind} IN ({as_it_is}) THEN {plain} ELSE {wrapped} END"

    def value_in(text: str) -> str:
        sql = bound(value_at(with_texts(text), path), body)
        if not of_strings:
            sql = without_marks(sql)
        return f"left({sql}, {kind.precision})" if kind.name == "VARCHAR" else sql

    return Typed(_unless_null(document, value_in), kind)


def _exists(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """JSON_EXISTS: "CASE WHEN `s` IS NOT NULL THEN IF(coalesce(…, 'VOID') <> 'VOID', TRUE, FALSE) END"."""
    document, where, error = arguments
    check_string(document, 1, at, name)
    path = read_path(where, at, name)
    words = {"TRUE": "TRUE", "FALSE": "FALSE", "UNKNOWN": "NULL"}
    kind = DataType("BOOLEAN")
    missing = "FALSE" if path.lax else words.get(error.word) or _otherwise(error.word, "", kind, name)

    def value_in(text: str) -> str:
        value = value_at(text, path)
        there = f"{value} IS NOT NULL" if path.has_many else f"coalesce({json_kind(value)}, 'VOID') <> 'VOID'"
        return f"IF({there}, TRUE, {missing})"

    return Typed(_unless_null(document, value_in), kind)


def _is_json(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """IS JSON ARRAY: "(coalesce(… = 'ARRAY', FALSE))"."""
    document, kind = arguments
    check_string(document, 1, at, name)
    there = json_kind(f"try_parse_json({document.sql})")
    tests = {
        "VALUE": f"{there} IS NOT NULL",
        "OBJECT": f"coalesce({there} = 'OBJECT', FALSE)",
        "ARRAY": f"coalesce({there} = 'ARRAY', FALSE)",
        "SCALAR": f"coalesce({there} NOT IN ('OBJECT', 'ARRAY'), FALSE)",
    }
    return Typed(f"({tests[kind.word]})", TRUTH)


def _string(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 1, 1)
    return Typed(json_text(arguments[0], at, name), TEXT.with_nullable(any_nullable(arguments)))


def _object(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """JSON_OBJECT: keys are sorted, as in Flink. If a key repeats, the last one counts."""
    on_null, *pairs = arguments
    values = {constant(key, at, name, "a key"): value for key, value in zip(pairs[::2], pairs[1::2])}
    fields = [member_sql(key, _member(value, on_null, at, name)) for key, value in sorted(values.items())]
    return JsonText(_enclosed("{", fields, "}"), TEXT)


def _array(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    on_null, *values = arguments
    return JsonText(_enclosed("[", [_member(value, on_null, at, name) for value in values], "]"), TEXT)


def _member(value: Typed, on_null: Typed, at: Place, name: str) -> str:
    """A member's value, NULL if ABSENT ON NULL leaves it out: "coalesce(to_json(`shop`), 'null')"."""
    text = json_text(value, at, name)
    return f"coalesce({text}, 'null')" if on_null.word == "NULL" else text


def _enclosed(begin: str, parts: list[str], end: str) -> str:
    """Gives "concat('[', concat_ws(',', …), ']')"."""
    return f"concat('{begin}', concat_ws(',', {', '.join(parts)}), '{end}')" if parts else f"'{begin}{end}'"


JSON: dict[str, Function] = {
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    "IS JSON": _is_json,
    "JSON_STRING": _string,
    "JSON_OBJECT": _object,
    "JSON_ARRAY": _array,
}
