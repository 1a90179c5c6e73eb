"""Paths into JSON, and the values at them: one value, or with `*`, `..name` or `[?(…)]` an array of all that match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Union

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.functions.json_filters import UnknownCondition, read_condition
from airflow_nrt.sql.expressions.functions.json_numbers import number_or_text, without_marks
from airflow_nrt.sql.expressions.functions.json_steps import NOTHING, Deep, Each, Many, Matching, json_kind
from airflow_nrt.sql.expressions.functions.signature import bound, constant
from airflow_nrt.sql.expressions.typed import Typed

_MODE = re.compile(r"\s*(lax|strict)\b\s*", re.IGNORECASE)
_END_OF_FILTER = re.compile(r"\s*\]")
_STEP = re.compile(
    r"""\.([\w$-]+)|\.?\['([^'\]\\]*)'\]|\.?\["([^"\]\\]*)"\]|\[\s*(-?\d+)\s*\]|(\.\*|\.?\[\s*\*\s*\])"""
)


_DEEP = re.compile(r"""\.\.(?:([\w$-]+)|\['([^'\]\\]*)'\]|\["([^"\]\\]*)"\])""")
_FILTER = re.compile(r"\.?\[\s*\?\s*(?=\()")
_STEPS = "there are .name, ['name'], [0], [-1] for the last, [*], .*, ..name and [?(@.name > 1)]"


Step = Union[str, int, Many]


@dataclass(frozen=True)
class Path:
    """A path. `steps` are names, indexes, and steps that give many values."""

    lax: bool
    steps: tuple[Step, ...]

    @property
    def has_many(self) -> bool:
        return self.first_many < len(self.steps)

    @property
    def first_many(self) -> int:
        """The number of steps before the first that gives many values."""
        return _before_many(self.steps)


def _before_many(steps: tuple[Step, ...]) -> int:
    return next((n for n, step in enumerate(steps) if isinstance(step, Many)), len(steps))


def read_path(argument: Typed, at: Place, name: str) -> Path:
    """The path of a text. Raises SqlError if it is none, NotThereYet if it has steps that are not supported."""
    text = constant(argument, at, name, "a path")
    mode = _MODE.match(text)
    rest = text[mode.end() :] if mode else text
    if not rest.startswith("$"):
        raise SqlError(f"{name}: a path begins with $, as in '$.name', {text!r} does not", at)
    steps: list[Step] = []
    place = 1
    while place < len(rest):
        read = _read_step(rest, place)
        if read is None:
            raise NotThereYet(f"{name} with the path {text!r}", at, _STEPS)
        steps.append(read[0])
        place = read[1]
    return Path(mode is not None and mode[1].lower() == "lax", tuple(steps))


def _read_step(text: str, place: int) -> tuple[Step, int] | None:
    """The step at a place of a path, and where it ends. None if there is none."""
    if (deep := _DEEP.match(text, place)) is not None:
        return Deep(next(one for one in deep.groups() if one is not None)), deep.end()
    if (begin := _FILTER.match(text, place)) is not None:
        try:
            condition, place = read_condition(text, begin.end())
        except UnknownCondition:
            return None
        end = _END_OF_FILTER.match(text, place)
        return None if end is None else (Matching(condition), end.end())
    step = _STEP.match(text, place)
    if step is None:
        return None
    if step[5] is not None:
        return Each(), step.end()
    return int(step[4]) if step[4] else next(one for one in step.groups()[:3] if one is not None), step.end()


def value_at(document: str, path: Path) -> str:
    r"""SQL of the VARIANT at the path, or the array of all that match.

    It is NULL if the document is no JSON, or lacks the path; in a lax path an array is empty then.

    >>> print(value_at("`s`", Path(True, ("a",))))
    try_variant_get(try_parse_json(`s`), '$["a"]', 'variant')
    """
    parsed = f"try_parse_json({document})"
    if not path.has_many:
        return _one(parsed, path.steps)
    first, *_ = (step for step in path.steps if isinstance(step, Many))
    many = bound(_one(parsed, path.steps[: path.first_many]), f"IF(_nrt_x IS NULL, NULL, {first.of('_nrt_x')})")
    rest = path.steps[path.first_many + 1 :]
    while rest:
        if isinstance(rest[0], Many):
            many, rest = f"flatten(transform({many}, _nrt_v -> {rest[0].of_each('_nrt_v')}))", rest[1:]
        else:
            count = _before_many(rest)
            there = f"transform({many}, _nrt_v -> {_one('_nrt_v', rest[:count])})"
            many, rest = f"filter({there}, _nrt_v -> _nrt_v IS NOT NULL)", rest[count:]
    return f"IF({parsed} IS NULL, NULL, coalesce({many}, {NOTHING}))" if path.lax else many


def _one(variant: str, steps: tuple[Step, ...]) -> str:
    """The VARIANT at a path without a `*`. A negative index counts from the end.

    >>> print(_one("v", ("a",)))
    try_variant_get(v, '$["a"]', 'variant')
    """
    path = ""
    for step in steps:
        if isinstance(step, int) and step < 0:
            array = f"try_variant_get({variant}, {string_literal('$' + path)}, 'array<variant>')"
            variant, path = f"try_element_at({array}, {step})", ""
        else:
            path += f"[{step}]" if isinstance(step, int) else f'["{step}"]'
    return f"try_variant_get({variant}, {string_literal('$' + path)}, 'variant')"


def texts_of(array: str) -> str:
    """The elements of an array of VARIANT as strings: these as they are, others as JSON, a null as NULL.

    >>> from airflow_nrt.model.row_semantics import read_by
    >>> print(read_by(2, texts_of("v")))
    transform(v, _nrt_v -> CASE regexp_extract(schema_of_variant(_nrt_v), '^[A-Z]+', 0) WHEN 'VOID' THEN NULL WHEN
    'STRING' THEN try_variant_get(_nrt_v, '$', 'string') ELSE to_json(_nrt_v) END)
    """
    return f"transform({array}, _nrt_v -> {text_of('_nrt_v')})"


def text_of(variant: str) -> str:
    """SQL of a JSON value as a text: a string without its quotes.

    >>> from airflow_nrt.model.row_semantics import read_by
    >>> print(read_by(2, text_of("v")))
    CASE regexp_extract(schema_of_variant(v), '^[A-Z]+', 0) WHEN 'VOID' THEN NULL WHEN 'STRING' THEN try_variant_get(v,
    '$', 'string') ELSE to_json(v) END
    """
    kind, text = json_kind(variant), number_or_text(f"try_variant_get({variant}, '$', 'string')")
    json = without_marks(f"to_json({variant})")
    return f"CASE {kind} WHEN 'VOID' THEN NULL WHEN 'STRING' THEN {text} ELSE {json} END"


def json_of(array: str) -> str:
    """An array of VARIANT as JSON, with strings that stand for numbers.

    >>> print(json_of("v"))
    concat('[', array_join(transform(v, _nrt_v -> coalesce(to_json(_nrt_v), 'null')), ','), ']')
    """
    return f"concat('[', array_join(transform({array}, _nrt_v -> coalesce(to_json(_nrt_v), 'null')), ','), ']')"
