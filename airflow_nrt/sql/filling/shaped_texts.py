"""The texts of a script that are more than values: of options and settings, names, code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airflow_nrt.model.shapes.of_options import CODE, shape_of, shape_of_setting
from airflow_nrt.model.shapes.shape import Place, Shape
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse.words.lexer import Token, TokenKind, tokenize

_NAMES = Place("which option it sets")


@dataclass(frozen=True)
class ShapedText:
    """A text of a script from `start` to `end`, with the quotes around it, and what it is `called`."""

    start: int
    end: int
    shape: Shape
    called: str


def shaped_texts(script: str) -> list[ShapedText]:
    """These texts in their order. None of a script that has no tokens, which can't be planned either."""
    try:
        return list(_of(tokenize(script), script, 0))
    except SqlError:
        return []


def _of(tokens: Sequence[Token], script: str, offset: int) -> Iterator[ShapedText]:
    """The texts of these tokens. `offset` is the place of the tokens' text in the whole script."""
    number, begins = 0, True
    while tokens[number].kind is not TokenKind.END:
        token = tokens[number]
        if token.kind is TokenKind.HINT:
            yield from _of(tokenize(token.text), token.text, offset + token.at.offset + 3)
        elif token.upper in ("WITH", "OPTIONS") and tokens[number + 1].text == "(":
            number, found = _options(tokens, number + 2, offset)
            yield from found
            begins = False
            continue
        elif begins and token.upper == "SET":
            number, found = _setting(tokens, number + 1, offset)
            yield from found
            continue
        elif begins and token.upper == "CREATE" and _is_function(tokens[number + 1 : number + 4]):
            number, found = _function(tokens, number, offset)
            yield from found
            continue
        begins = token.kind is TokenKind.SYMBOL and token.text == ";"
        number += 1


def _options(tokens: Sequence[Token], number: int, offset: int) -> tuple[int, list[ShapedText]]:
    """The options from this token on, up to the closing parenthesis, and the number of that."""
    found: list[ShapedText] = []
    while tokens[number].kind is not TokenKind.END and tokens[number].text != ")":
        name, equals, value = tokens[number], tokens[number + 1], tokens[number + 1]
        found.append(_text(name, name, offset, _NAMES, "the name of an option"))
        if equals.kind is TokenKind.SYMBOL and equals.text == "=":
            value = tokens[number + 2]
            if value.kind in (TokenKind.STRING, TokenKind.UNICODE):
                found.append(_text(value, value, offset, shape_of(name.text), f"option {name.text!r}"))
                number += 2
        number += 1
    return number, found


def _setting(tokens: Sequence[Token], number: int, offset: int) -> tuple[int, list[ShapedText]]:
    """The key and the value of a SET, which may be words, and the number of the token that ends it."""
    end = _until(tokens, number, ";")
    equals = _until(tokens, number, "=")
    if not number < equals < end - 1:
        return end, []
    key = tokens[number:equals]
    name = key[0].text if key[0].kind is TokenKind.STRING else "".join(one.text for one in key)
    return end, [
        _text(key[0], key[-1], offset, _NAMES, "the name of a setting"),
        _text(tokens[equals + 1], tokens[end - 1], offset, shape_of_setting(name), f"setting {name!r}"),
    ]


def _is_function(tokens: Sequence[Token]) -> bool:
    words = [one.upper for one in tokens if one.upper not in ("TEMPORARY", "SYSTEM")]
    return words[:1] == ["FUNCTION"]


def _function(tokens: Sequence[Token], number: int, offset: int) -> tuple[int, list[ShapedText]]:
    end = _until(tokens, number, ";")
    return end, [_text(tokens[number], tokens[end - 1], offset, CODE, "a function")]


def _until(tokens: Sequence[Token], number: int, symbol: str) -> int:
    """The number of the first token from this one on that is this symbol, or the last one."""
    while tokens[number].kind is not TokenKind.END and (tokens[number].kind, tokens[number].text) != (
        TokenKind.SYMBOL,
        symbol,
    ):
        number += 1
    return number


def _text(first: Token, last: Token, offset: int, shape: Shape, called: str) -> ShapedText:
    return ShapedText(offset + first.at.offset, offset + last.end, shape, called)
