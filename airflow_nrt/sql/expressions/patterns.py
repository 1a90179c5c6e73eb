"""LIKE and SIMILAR TO. A backslash in a pattern is plain text. Only the character of ESCAPE escapes the next one."""

from __future__ import annotations

import re

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import BOOLEAN
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast

_SIMILAR_SPECIAL = "_%|*+?{}()[]^-"
_REGEX_SPECIAL = r"[]{}()|^$.*+?\-"
_CLASSES = {
    "ALPHA": "Alpha", "UPPER": "Upper", "LOWER": "Lower", "DIGIT": "Digit", "SPACE": "Space", "WHITESPACE": "Space",
    "ALNUM": "Alnum",
}  # fmt: skip


def matched(node: ast.Like, operand: Typed, pattern: Typed, escape: Typed | None) -> Typed:
    r"""The test as Spark SQL. Raises SqlError for operands that are no strings, and for an invalid pattern.

    s LIKE t is "(`s` LIKE replace(`t`, '\\', '\\\\'))".
    """
    word = "SIMILAR TO" if node.similar else "LIKE"
    for typed in (operand, pattern):
        if not typed.type.is_string and typed.type.name != "NULL":
            raise SqlError(f"{word} wants strings on both sides", node.at)
    character = escape.constant if escape is not None else None
    if escape is not None and (character is None or len(character) != 1):
        raise SqlError("ESCAPE wants one character in quotes", escape_at(node))
    test = _similar(node, operand, pattern, character) if node.similar else _like(operand, pattern, character)
    columns = operand.columns | pattern.columns
    nullable = operand.type.nullable or pattern.type.nullable
    sql = f"(NOT {test})" if node.negated else f"({test})"
    return Typed(sql, BOOLEAN.with_nullable(nullable), columns=columns)


def escape_at(node: ast.Like) -> Place:
    return node.escape.at if node.escape is not None else node.at


def _like(operand: Typed, pattern: Typed, escape: str | None) -> str:
    r"""SQL of LIKE, in which nothing escapes but the character of ESCAPE.

    >>> from airflow_nrt.basics.types import STRING
    >>> print(_like(Typed("`s`", STRING), Typed("`p`", STRING), None))
    `s` LIKE replace(`p`, '\\', '\\\\')
    """
    if escape is not None:
        return f"{operand.sql} LIKE {pattern.sql} ESCAPE {string_literal(escape)}"
    # A backslash means itself in Flink; in Spark it escapes.
    plain = pattern.constant is not None and "\\" not in pattern.constant
    shape = pattern.sql if plain else f"replace({pattern.sql}, '\\\\', '\\\\\\\\')"
    return f"{operand.sql} LIKE {shape}"


def _similar(node: ast.Like, operand: Typed, pattern: Typed, escape: str | None) -> str:
    r"""A test by the regular expression that Flink makes of the pattern. It must match the whole string.

    s SIMILAR TO 'a|b' is "`s` RLIKE '^(?:a|b)\\z'".
    """
    if pattern.constant is None:
        raise NotThereYet("SIMILAR TO with a pattern that is not a constant", node.at, "use REGEXP")
    shape = similar_regex(pattern.constant, escape)
    if shape is None:
        raise SqlError(f"{pattern.constant!r} is no pattern of SIMILAR TO", node.pattern.at)
    return f"{operand.sql} RLIKE {string_literal(f'^(?:{shape})' + chr(92) + 'z')}"


def similar_regex(pattern: str, escape: str | None) -> str | None:
    """The pattern as a regular expression of Java, None if it is invalid. Signs of Java keep their meaning."""
    written, index = [], 0
    while index < len(pattern):
        character = pattern[index]
        if character == escape:
            escaped = pattern[index + 1 : index + 2]
            if not escaped or (escaped not in _SIMILAR_SPECIAL and escaped != escape):
                return None
            written.append(f"\\{escaped}" if escaped in _REGEX_SPECIAL else escaped)
            index += 2
        elif character == "[":
            enumeration = _enumeration(pattern, index, escape)
            if enumeration is None:
                return None
            text, index = enumeration
            written.append(text)
        elif character == "]":
            return None
        else:
            written.append({"_": ".", "%": "(?s:.*)", "\\": "\\\\", "$": "\\$"}.get(character, character))
            index += 1
    return "".join(written)


def _enumeration(pattern: str, start: int, escape: str | None) -> tuple[str, int] | None:
    """`[a-z[:DIGIT:]]` in Java's syntax, and the index after it."""
    written, index = ["["], start + 1
    while index < len(pattern):
        character = pattern[index]
        if character == "]":
            return "".join([*written, "]"]), index + 1
        if character == escape:
            escaped = pattern[index + 1 : index + 2]
            if not escaped:
                return None
            written.append(f"\\{escaped}" if escaped in _REGEX_SPECIAL else escaped)
            index += 2
        elif character == "[":
            named = re.match(r"\[:(\w+):\]", pattern[index:])
            if named is None or named[1].upper() not in _CLASSES:
                return None
            written.append(f"\\p{{{_CLASSES[named[1].upper()]}}}")
            index += named.end()
        else:
            written.append("\\\\" if character == "\\" else character)
            index += 1
    return None
