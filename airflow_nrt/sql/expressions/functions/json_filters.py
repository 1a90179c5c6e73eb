"""Conditions in JSON paths, `[?(@.n > 1 && @.sku != 'tea')]`: which elements of an array they let pass.

As in Flink (Jayway): numbers are compared with numbers, and texts with texts. A text is equal to the number that it
has. What is not there is equal to nothing, also not to null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Union

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.sql.expressions.functions.json_numbers import MARK

_TOKEN = re.compile(
    r"""\s*(?:(?P<path>@(?:\.[\w$-]+|\['[^'\]\\]*'\]|\["[^"\]\\]*"\]|\[\d+\])+)|(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"""
    r"""|'(?P<text>[^'\\]*)'|"(?P<quoted>[^"\\]*)"|(?P<word>true|false|null)\b|(?P<sign>==|!=|<=|>=|<|>|&&|\|\||\(|\)))"""
)
_STEP = re.compile(r"""\.([\w$-]+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+)\]""")
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_EXACT = "DECIMAL(38,18)"


class UnknownCondition(ValueError):
    """A condition that is not supported."""


@dataclass(frozen=True)
class Comparison:
    """A value of an element compared with a constant, whose `kind` is number, text or word."""

    path: str
    operator: str
    kind: str
    constant: str

    def holds(self, element: str) -> str:
        """SQL of the condition over an element, a VARIANT. It is never NULL.

        >>> print(Comparison('$["on"]', "==", "word", "true").holds("v"))
        coalesce(regexp_extract(schema_of_variant(try_variant_get(v, '$["on"]', 'variant')), '^[A-Z]+', 0) = 'BOOLEAN'
        AND try_variant_get(v, '$["on"]', 'string') = 'true', FALSE)
        """
        if self.operator == "!=":
            return f"NOT {Comparison(self.path, '==', self.kind, self.constant).holds(element)}"
        where = string_literal(self.path)
        kind = f"regexp_extract(schema_of_variant(try_variant_get({element}, {where}, 'variant')), '^[A-Z]+', 0)"
        text = f"try_variant_get({element}, {where}, 'string')"
        return f"coalesce({self._compared(kind, text, '=' if self.operator == '==' else self.operator)}, FALSE)"

    def _compared(self, kind: str, text: str, operator: str) -> str:
        if self.kind == "word":
            if operator != "=":
                return "FALSE"
            is_there = f"{kind} = '{'VOID' if self.constant == 'null' else 'BOOLEAN'}'"
            return is_there if self.constant == "null" else f"{is_there} AND {text} = '{self.constant}'"
        # A number that a VARIANT would change is a text behind a mark.
        is_number = f"({kind} IN ('BIGINT', 'DECIMAL', 'DOUBLE') OR startswith({text}, '{MARK}'))"
        if self.kind == "text":
            of_texts = f"{kind} = 'STRING' AND NOT {is_number} AND {text} {operator} {string_literal(self.constant)}"
            is_numeric = operator == "=" and re.fullmatch(r"-?\d+(\.\d+)?", self.constant) is not None
            return f"({of_texts} OR {is_number} AND {self._as_numbers(text, '=')})" if is_numeric else of_texts
        of_numbers = self._as_numbers(text, operator)
        return of_numbers if operator == "=" else f"{is_number} AND {of_numbers}"

    def _as_numbers(self, text: str, operator: str) -> str:
        digits, constant = f"trim(LEADING '{MARK}' FROM {text})", string_literal(self.constant)
        pairs = (
            f"try_cast({digits} AS {kind}) {operator} try_cast({constant} AS {kind})" for kind in (_EXACT, "DOUBLE")
        )
        return f"coalesce({', '.join(pairs)})"


@dataclass(frozen=True)
class Both:
    """Conditions that `word` joins: AND, OR."""

    word: str
    parts: tuple[Condition, ...]

    def holds(self, element: str) -> str:
        """SQL of the condition: "(… AND …)"."""
        return f"({f' {self.word} '.join(part.holds(element) for part in self.parts)})"


Condition = Union[Comparison, Both]


def read_condition(text: str, start: int) -> tuple[Condition, int]:
    """The condition that begins in the text after `[?`, in parentheses, and where it ends.

    Raises UnknownCondition.
    """
    reader = _Reader(text, start)
    condition = reader.primary(is_whole=True)
    return condition, reader.place


class _Reader:
    def __init__(self, text: str, place: int) -> None:
        self._text = text
        self.place = place

    def primary(self, is_whole: bool = False) -> Condition:
        kind, value = self._next()
        if (kind, value) == ("sign", "("):
            inside = self._joined("||", "OR")
            if self._next() != ("sign", ")"):
                raise UnknownCondition
            return inside
        if is_whole or kind == "sign":
            raise UnknownCondition
        (_, operator), (other, constant) = self._next(), self._next()
        if operator not in _MIRRORED or (kind == "path") == (other == "path") or other == "sign":
            raise UnknownCondition
        if kind == "path":
            return Comparison(_variant_path(value), operator, other, constant)
        return Comparison(_variant_path(constant), _MIRRORED[operator], kind, value)

    def _joined(self, sign: str, word: str) -> Condition:
        """Conditions that `||` joins, each of those that `&&` joins."""
        parts = [self._part(sign)]
        while self._peeks(sign):
            self._next()
            parts.append(self._part(sign))
        return parts[0] if len(parts) == 1 else Both(word, tuple(parts))

    def _part(self, sign: str) -> Condition:
        return self._joined("&&", "AND") if sign == "||" else self.primary()

    def _peeks(self, sign: str) -> bool:
        match = _TOKEN.match(self._text, self.place)
        return match is not None and match["sign"] == sign

    def _next(self) -> tuple[str, str]:
        match = _TOKEN.match(self._text, self.place)
        if match is None or match.lastgroup is None:
            raise UnknownCondition
        self.place = match.end()
        kind = "text" if match.lastgroup == "quoted" else match.lastgroup
        return kind, match[match.lastgroup]


def _variant_path(path: str) -> str:
    return "$" + "".join(_variant_steps(path))


def _variant_steps(path: str) -> Iterator[str]:
    for step in _STEP.finditer(path):
        index = step[4]
        yield f"[{index}]" if index is not None else f'["{next(one for one in step.groups()[:3] if one is not None)}"]'
