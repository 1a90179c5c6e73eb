"""JSON in strings: values at a path, tests, and strings made of values.

A path is strict unless it begins with `lax`. In a strict path whatever is wrong (no JSON, nothing there, a null, the
wrong kind) is for ON ERROR; in a lax one it is for ON EMPTY. That is Flink's rule, and simpler than the standard's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from airflow_nrt.report.spelling import string_literal
from airflow_nrt.report.types import STRING, DataType
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.functions.signature import (
    TEXT,
    TRUTH,
    Function,
    any_nullable,
    bound,
    check_count,
    check_string,
    constant,
)
from airflow_nrt.sql.typed import Typed

_MODE = re.compile(r"\s*(lax|strict)\b\s*", re.IGNORECASE)
_STEP = re.compile(r"""\.([\w$-]+)|\.?\['([^'\]\\]*)'\]|\.?\["([^"\]\\]*)"\]|\[(\d+)\]""")
_SCALARS = ("STRING", "BOOLEAN", "BIGINT", "DECIMAL", "DOUBLE")
_VALUES = {"BOOLEAN": ("BOOLEAN",), "INT": ("BIGINT",), "DOUBLE": ("BIGINT", "DECIMAL", "DOUBLE")}
"""What RETURNING can be beside strings, with the kinds of JSON values that it takes."""


@dataclass(frozen=True)
class JsonText(Typed):
    """A string that is JSON already, which JSON_OBJECT and JSON_ARRAY take over as it is."""


@dataclass(frozen=True)
class _Path:
    lax: bool
    steps: tuple[str | int, ...]

    @property
    def sql(self) -> str:
        """As Spark writes it."""
        return string_literal("$" + "".join(f"[{s}]" if isinstance(s, int) else f'["{s}"]' for s in self.steps))


def _path(argument: Typed, at: Place, name: str) -> _Path:
    text = constant(argument, at, name, "a path")
    mode = _MODE.match(text)
    rest = text[mode.end() :] if mode else text
    if not rest.startswith("$"):
        raise SqlError(f"{name}: a path begins with $, as in '$.name', {text!r} does not", at)
    steps: list[str | int] = []
    place = 1
    while place < len(rest):
        step = _STEP.match(rest, place)
        if step is None:
            raise NotThereYet(f"{name} with the path {text!r}", at, "there are .name, ['name'] and [0]")
        steps.append(int(step[4]) if step[4] else next(one for one in step.groups()[:3] if one is not None))
        place = step.end()
    return _Path(mode is not None and mode[1].lower() == "lax", tuple(steps))


def _found(document: Typed, path: _Path) -> str:
    return f"try_variant_get(try_parse_json({document.sql}), {path.sql}, 'variant')"


def _kind(variant: str) -> str:
    """OBJECT, ARRAY, STRING, BIGINT, DECIMAL, DOUBLE, BOOLEAN or VOID, NULL where nothing is."""
    return f"regexp_extract(schema_of_variant({variant}), '^[A-Z]+', 0)"


def _otherwise(word: str, default: str, kind: DataType, name: str) -> str:
    """What stands for a value that is not there."""
    if word == "ERROR":
        return f"CAST(raise_error('{name} finds no value, and ERROR was asked for') AS {kind.spark})"
    return f"CAST({default} AS {kind.spark})" if word == "DEFAULT" else f"CAST(NULL AS {kind.spark})"


def _unless_null(document: Typed, sql: str) -> str:
    return f"CASE WHEN {document.sql} IS NOT NULL THEN {sql} END" if document.type.nullable else sql


def _value(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    document, where, returning, *cases = arguments
    check_string(document, 1, at, name)
    path, kind = _path(where, at, name), returning.type.with_nullable(True)
    word, default = cases[:2] if path.lax else cases[2:]
    if not (kind.is_string or kind.name in _VALUES):
        raise SqlError(f"{name} returns STRING, BOOLEAN, INTEGER or DOUBLE, not {kind.flink}", at)
    kinds = ", ".join(map(string_literal, _SCALARS if kind.is_string else _VALUES[kind.name]))
    taken = f"WHEN _nrt_x.k IN ({kinds}) THEN try_cast(_nrt_x.v AS {kind.spark})"
    otherwise = _otherwise(word.sql, default.sql, kind, name)
    found = f"transform(array({_found(document, path)}), _nrt_v -> struct(_nrt_v AS v, {_kind('_nrt_v')} AS k))[0]"
    return Typed(_unless_null(document, bound(found, f"CASE {taken} ELSE {otherwise} END")), kind)


def _query(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    document, where, wrapper, empty, error = arguments
    check_string(document, 1, at, name)
    path = _path(where, at, name)
    word = (empty if path.lax else error).sql
    nothing = {"ARRAY": "'[]'", "OBJECT": "'{}'"}.get(word) or _otherwise(word, "", STRING, name)
    text, kind = "to_json(_nrt_x)", _kind("_nrt_x")
    as_it_is = {"WITHOUT": "'ARRAY', 'OBJECT'", "CONDITIONAL": "'ARRAY'", "UNCONDITIONAL": "''"}[wrapper.sql]
    wrapped = nothing if wrapper.sql == "WITHOUT" else f"concat('[', {text}, ']')"
    missing = f"coalesce({kind}, 'VOID') = 'VOID'"
    body = f"CASE WHEN {missing} THEN {nothing} WHEN {kind} IN ({as_it_is}) THEN {text} ELSE {wrapped} END"
    return Typed(_unless_null(document, bound(_found(document, path), body)), STRING)


def _exists(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    document, where, error = arguments
    check_string(document, 1, at, name)
    path = _path(where, at, name)
    words = {"TRUE": "TRUE", "FALSE": "FALSE", "UNKNOWN": "NULL"}
    kind = DataType("BOOLEAN")
    missing = "FALSE" if path.lax else words.get(error.sql) or _otherwise(error.sql, "", kind, name)
    there = f"coalesce({_kind(_found(document, path))}, 'VOID') <> 'VOID'"
    return Typed(_unless_null(document, f"IF({there}, TRUE, {missing})"), kind)


def _is_json(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    document, kind = arguments
    check_string(document, 1, at, name)
    found = _kind(f"try_parse_json({document.sql})")
    tests = {
        "VALUE": f"{found} IS NOT NULL",
        "OBJECT": f"coalesce({found} = 'OBJECT', FALSE)",
        "ARRAY": f"coalesce({found} = 'ARRAY', FALSE)",
        "SCALAR": f"coalesce({found} NOT IN ('OBJECT', 'ARRAY'), FALSE)",
    }
    return Typed(f"({tests[kind.sql]})", TRUTH)


def json_text(value: Typed, at: Place, name: str) -> str:
    """A value as JSON, NULL where it is NULL."""
    if isinstance(value, JsonText):
        return value.sql
    _check_writable(value.type, at, name)
    text = f"to_json(array({value.sql}))"
    text = f"substring({text}, 2, length({text}) - 2)"
    if value.type.is_approximate:
        text = f"regexp_replace({text}, 'E(?=[0-9])', 'E+')"
    return f"CASE WHEN {value.sql} IS NOT NULL THEN {text} END"


def _check_writable(kind: DataType, at: Place, name: str) -> None:
    inner = [child for _, child in kind.children]
    if kind.name not in ("ARRAY", "MAP", "BOOLEAN", "NULL") and not (kind.is_string or kind.is_numeric):
        raise NotThereYet(f"{name} of {kind.flink}", at, "CAST it to STRING")
    for child in inner:
        if child.is_approximate:
            raise NotThereYet(f"{name} of {kind.flink}", at, "numbers of arrays and maps must be exact")
        _check_writable(child, at, name)


def _string(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 1, 1)
    return Typed(json_text(arguments[0], at, name), TEXT.with_nullable(any_nullable(arguments)))


def _object(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """Keys are sorted, as in Flink; of a repeated one the last counts."""
    word, *pairs = arguments
    values = {constant(key, at, name, "a key"): value for key, value in zip(pairs[::2], pairs[1::2])}
    fields = [
        f"concat({string_literal(json.dumps(key, ensure_ascii=False) + ':')}, {_member(value, word, at, name)})"
        for key, value in sorted(values.items())
    ]
    return JsonText(_enclosed("{", fields, "}"), TEXT)


def _array(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    word, *values = arguments
    return JsonText(_enclosed("[", [_member(value, word, at, name) for value in values], "]"), TEXT)


def _member(value: Typed, word: Typed, at: Place, name: str) -> str:
    """A value inside, which is NULL where ABSENT ON NULL leaves it out."""
    text = json_text(value, at, name)
    return f"coalesce({text}, 'null')" if word.sql == "NULL" else text


def _enclosed(begin: str, parts: list[str], end: str) -> str:
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
