"""Literals with keywords: `DATE '2024-01-01'`, `X'ff'`, `INTERVAL '1 12' DAY TO HOUR`."""

from __future__ import annotations

import re

from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.words.lexer import TokenKind

TIME_UNITS = ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
_TYPED = ("DATE", "TIME", "TIMESTAMP")
_NATIONAL = ("N", "_UTF8")


def worded_literal(cursor: Cursor) -> ast.Literal | None:
    """The literal that begins here with a word, None if the word is something else."""
    at, word, following = cursor.at, cursor.token.upper, cursor.ahead()
    if following.kind is TokenKind.STRING:
        if word in _TYPED:
            return ast.Literal(cursor.advance().upper, cursor.string(), at)
        if cursor.token.end != following.at.offset:
            return None
        if word in _NATIONAL:
            cursor.advance()
            return ast.Literal("string", cursor.string(), at)
        if word == "X":
            cursor.advance()
            return ast.Literal("bytes", _digits(cursor.string(), at), at)
    return None


def _digits(text: str, at: Place) -> str:
    if re.fullmatch(r"([0-9a-fA-F]{2})*", text) is None:
        raise SqlError(f"X{text!r} must have an even number of hexadecimal digits", at)
    return text.upper()


def interval(cursor: Cursor, at: Place) -> ast.Interval:
    """The rest of an interval, after INTERVAL."""
    negative = cursor.take_any_symbol("+", "-") == "-"
    text = cursor.string("the length of the interval in single quotes, as in INTERVAL '10' MINUTES")
    unit, to_unit, precision = _qualifier(cursor)
    return ast.Interval(f"-{text}" if negative else text, unit, to_unit, precision, at)


def difference(cursor: Cursor, operand: ast.Expression, at: Place) -> ast.Expression:
    """The operand in parentheses, with the unit after them: `(a - b) DAY TO SECOND`."""
    if not isinstance(operand, ast.Binary) or operand.operator != "-" or cursor.token.upper not in TIME_UNITS:
        return operand
    unit, to_unit, _ = _qualifier(cursor)
    return ast.Difference(operand.left, operand.right, unit, to_unit, at)


def _qualifier(cursor: Cursor) -> tuple[str, str | None, int | None]:
    """The unit, the last unit if there are several, and the precision of the first."""
    unit, precision = _unit(cursor)
    return unit, _unit(cursor)[0] if cursor.take_word("TO") else None, precision


def _unit(cursor: Cursor) -> tuple[str, int | None]:
    word = cursor.token.upper
    unit = word if word in TIME_UNITS else word[:-1] if word.endswith("S") else word
    if unit not in TIME_UNITS:
        raise cursor.error("a unit of time such as SECOND, MINUTE, HOUR or DAY")
    cursor.advance()
    precision = None
    if cursor.take_symbol("("):
        precision = cursor.integer()
        if cursor.take_symbol(","):
            cursor.integer()
        cursor.expect_symbol(")")
    return unit, precision
