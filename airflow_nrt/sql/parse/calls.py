"""Calls with keywords between their arguments: `EXTRACT(DAY FROM ts)`, `JSON_VALUE(x, '$.a' NULL ON EMPTY)`.

The arguments of each are in a fixed order, with `ast.Keyword` for keywords. A missing clause has its default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from airflow_nrt.basics.types import STRING
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.types import parse_type

Arguments = tuple[ast.Expression, ...]


class Expressions(Protocol):
    """The parser of the arguments, which is `ExpressionParser`."""

    cursor: Cursor

    def expression(self) -> ast.Expression: ...
    def operand(self) -> ast.Expression: ...


def brackets(parser: Expressions, at: Place) -> ast.Call:
    """`ARRAY[…]` and `MAP[…]`: calls whose names no script can write."""
    cursor = parser.cursor
    name = cursor.advance().upper
    cursor.expect_symbol("[")
    values = () if cursor.is_symbol("]") else cursor.listed(parser.expression)
    cursor.expect_symbol("]")
    return ast.Call(f"{name}[ ]", values, at)


def _keyword(parser: Expressions) -> ast.Keyword:
    at = parser.cursor.at
    if not parser.cursor.token.upper:
        raise parser.cursor.error("a keyword")
    return ast.Keyword(parser.cursor.advance().upper, at)


def _extract(parser: Expressions) -> Arguments:
    unit = _keyword(parser)
    parser.cursor.expect_word("FROM")
    return unit, parser.expression()


def _rounding(parser: Expressions) -> Arguments:
    operand = parser.expression()
    if parser.cursor.take_word("TO"):
        return operand, _keyword(parser)
    return operand, *_more(parser)


def _more(parser: Expressions) -> Arguments:
    return parser.cursor.listed(parser.expression) if parser.cursor.take_symbol(",") else ()


def _substring(parser: Expressions) -> Arguments:
    operand = parser.expression()
    if parser.cursor.take_word("FROM"):
        start = parser.expression()
        return (operand, start, parser.expression()) if parser.cursor.take_word("FOR") else (operand, start)
    return operand, *_more(parser)


def _overlay(parser: Expressions) -> Arguments:
    operand = parser.expression()
    parser.cursor.expect_word("PLACING")
    replacement = parser.expression()
    parser.cursor.expect_word("FROM")
    start = parser.expression()
    given = (operand, replacement, start)
    return (*given, parser.expression()) if parser.cursor.take_word("FOR") else given


def _trim(parser: Expressions) -> Arguments:
    cursor = parser.cursor
    side = cursor.take_any_word("BOTH", "LEADING", "TRAILING") or "BOTH"
    keyword = ast.Keyword(side, cursor.at)
    if cursor.take_word("FROM"):
        return keyword, ast.Literal("string", " ", cursor.at), parser.expression()
    first = parser.expression()
    if cursor.take_word("FROM"):
        return keyword, first, parser.expression()
    return keyword, ast.Literal("string", " ", first.at), first


def _position(parser: Expressions) -> Arguments:
    needle = parser.operand()
    parser.cursor.expect_word("IN")
    text = parser.expression()
    return (needle, text, parser.expression()) if parser.cursor.take_word("FROM") else (needle, text)


def _timestamp_unit(parser: Expressions) -> Arguments:
    unit = _keyword(parser)
    parser.cursor.expect_symbol(",")
    return unit, *parser.cursor.listed(parser.expression)


def _path(parser: Expressions) -> Arguments:
    document = parser.expression()
    parser.cursor.expect_symbol(",")
    return document, parser.expression()


def _json_value(parser: Expressions) -> Arguments:
    """The document, the path, NULL of the result type, then keyword and value of ON EMPTY and of ON ERROR."""
    cursor = parser.cursor
    document, path = _path(parser)
    null = ast.Literal("null", "NULL", document.at)
    returning: ast.Expression = ast.Cast(null, STRING, True, document.at)
    if cursor.take_word("RETURNING"):
        returning = ast.Cast(null, parse_type(cursor), True, cursor.at)
    cases: dict[str, tuple[ast.Keyword, ast.Expression]] = {
        case: (ast.Keyword("NULL", document.at), null) for case in ("EMPTY", "ERROR")
    }
    while not cursor.is_symbol(")"):
        keyword = ast.Keyword(cursor.take_any_word("NULL", "ERROR", "DEFAULT") or "", cursor.at)
        if not keyword.text:
            raise cursor.error("NULL, ERROR or DEFAULT … ON EMPTY or ON ERROR, or ')'")
        value = parser.expression() if keyword.text == "DEFAULT" else null
        cases[_on(parser)] = (keyword, value)
    return document, path, returning, *cases["EMPTY"], *cases["ERROR"]


def _on(parser: Expressions) -> str:
    parser.cursor.expect_word("ON")
    case = parser.cursor.take_any_word("EMPTY", "ERROR")
    if case is None:
        raise parser.cursor.error("EMPTY or ERROR")
    return case


def _json_query(parser: Expressions) -> Arguments:
    """The document, the path, NULL of the result type, the wrapper, the keywords of ON EMPTY and of ON ERROR."""
    cursor = parser.cursor
    document, path = _path(parser)
    kind = parse_type(cursor) if cursor.take_word("RETURNING") else STRING
    returning = ast.Cast(ast.Literal("null", "NULL", document.at), kind, True, document.at)
    wrapper = "WITHOUT"
    if word := cursor.take_any_word("WITHOUT", "WITH"):
        wrapper = word if word == "WITHOUT" else cursor.take_any_word("CONDITIONAL", "UNCONDITIONAL") or "UNCONDITIONAL"
        cursor.take_word("ARRAY")
        cursor.expect_word("WRAPPER")
    cases = {"EMPTY": "NULL", "ERROR": "NULL"}
    while not cursor.is_symbol(")"):
        word = cursor.take_any_word("NULL", "ERROR", "EMPTY")
        if word is None:
            raise cursor.error("NULL, ERROR, EMPTY ARRAY or EMPTY OBJECT … ON EMPTY or ON ERROR, or ')'")
        if word == "EMPTY":
            word = cursor.take_any_word("ARRAY", "OBJECT")
            if word is None:
                raise cursor.error("ARRAY or OBJECT")
        cases[_on(parser)] = word
    words = (wrapper, cases["EMPTY"], cases["ERROR"])
    return document, path, returning, *(ast.Keyword(word, document.at) for word in words)


def _json_exists(parser: Expressions) -> Arguments:
    document, path = _path(parser)
    word = parser.cursor.take_any_word("TRUE", "FALSE", "UNKNOWN", "ERROR")
    if word is not None:
        parser.cursor.expect_word("ON", "ERROR")
    return document, path, ast.Keyword(word or "FALSE", document.at)


def _json_object(parser: Expressions) -> Arguments:
    """The keyword of ON NULL, then keys and values in turn."""
    cursor = parser.cursor
    at, pairs = cursor.at, []
    while not (cursor.is_symbol(")") or _is_on_null(parser)):
        cursor.take_word("KEY")
        pairs.append(parser.expression())
        if not cursor.take_word("VALUE"):
            cursor.expect_symbol(":")
        pairs.append(parser.expression())
        if not cursor.take_symbol(","):
            break
    return _on_null(parser, "NULL", at), *pairs


def _json_array(parser: Expressions) -> Arguments:
    """The keyword of ON NULL, then the values."""
    at = parser.cursor.at
    empty = parser.cursor.is_symbol(")") or _is_on_null(parser)
    values = () if empty else parser.cursor.listed(parser.expression)
    return _on_null(parser, "ABSENT", at), *values


def _json_arrayagg(parser: Expressions) -> Arguments:
    """The value, then the keyword of ON NULL."""
    value = parser.expression()
    return value, _on_null(parser, "ABSENT", value.at)


def _json_objectagg(parser: Expressions) -> Arguments:
    """The key, the value, then the keyword of ON NULL."""
    cursor = parser.cursor
    cursor.take_word("KEY")
    key = parser.expression()
    if not cursor.take_word("VALUE"):
        cursor.expect_symbol(":")
    return key, parser.expression(), _on_null(parser, "NULL", key.at)


def _is_on_null(parser: Expressions) -> bool:
    return any(parser.cursor.is_word(word, "ON", "NULL") for word in ("NULL", "ABSENT"))


def _on_null(parser: Expressions, default: str, at: Place) -> ast.Keyword:
    if not _is_on_null(parser):
        return ast.Keyword(default, at)
    word = _keyword(parser)
    parser.cursor.expect_word("ON", "NULL")
    return word


SPECIAL: dict[str, Callable[[Expressions], Arguments]] = {
    "EXTRACT": _extract,
    "FLOOR": _rounding,
    "CEIL": _rounding,
    "CEILING": _rounding,
    "SUBSTRING": _substring,
    "OVERLAY": _overlay,
    "TRIM": _trim,
    "POSITION": _position,
    "TIMESTAMPADD": _timestamp_unit,
    "TIMESTAMPDIFF": _timestamp_unit,
    "JSON_VALUE": _json_value,
    "JSON_QUERY": _json_query,
    "JSON_EXISTS": _json_exists,
    "JSON_OBJECT": _json_object,
    "JSON_ARRAY": _json_array,
    "JSON_ARRAYAGG": _json_arrayagg,
    "JSON_OBJECTAGG": _json_objectagg,
}
