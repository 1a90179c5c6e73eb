"""The tokens of Flink SQL: identifiers, literals, symbols, hints. Comments are dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from airflow_nrt.sql.errors import Place, SqlError


class TokenKind(Enum):
    NAME = "name"
    QUOTED = "quoted name"
    STRING = "string"
    UNICODE = "string with escapes"
    NUMBER = "number"
    SYMBOL = "symbol"
    HINT = "hint"
    END = "end of the script"


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is the value: a quoted name or string without its quotes, a hint without its marks. A string with escapes
    (`U&'\\0041'`) has them still, since the character that begins them may follow it.

    `upper` is the word in upper case if it can be a keyword, else empty.
    """

    kind: TokenKind
    text: str
    at: Place
    end: int
    upper: str = ""


_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<hint>/\*\+.*?\*/)
  | (?P<comment>--[^\n]*|/\*.*?\*/)
  | (?P<string>'[^']*')
  | (?P<unicode>[uU]&'[^']*')
  | (?P<quoted>`[^`]*`)
  | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>[^\W\d]\w*(?:\$\w*)*|\$\w+)
  | (?P<symbol><>|<=|>=|!=|\|\||=>|::|[-+*/%=<>(),.;\[\]{}?:@&|^~])
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING = re.compile(r"['`]|--|/\*")
_PLAIN = {"number": TokenKind.NUMBER, "symbol": TokenKind.SYMBOL}
_QUOTED = {"string": TokenKind.STRING, "unicode": TokenKind.UNICODE, "quoted": TokenKind.QUOTED}
_MARK = {"unicode": 2}
"""How many letters precede the quote."""
_UNCLOSED = {"'": "string", "`": "quoted name", "/": "comment"}


def tokenize(script: str) -> list[Token]:
    """All tokens of a script, the last of kind END. Raises SqlError on an unclosed quote or a foreign character."""
    tokens: list[Token] = []
    line, line_start, offset = 1, 0, 0
    while offset < len(script):
        at = Place(line, offset - line_start + 1, offset)
        match = _TOKEN.match(script, offset)
        if match is None or (script.startswith("/*", offset) and match.lastgroup == "symbol"):
            raise _foreign(script, at)
        kind, text, offset = match.lastgroup, match.group(), match.end()
        if kind in _QUOTED:
            opens = at.offset + _MARK.get(kind, 0)
            closed = _end_of_quoted(script, opens, offset)
            if closed is None:
                raise SqlError(f"this {_UNCLOSED[script[opens]]} is never closed", at)
            text, offset = script[opens:closed], closed
            if text == "``":
                raise SqlError("a quoted name has at least one letter", at)
            tokens.append(Token(_QUOTED[kind], text[1:-1].replace(text[0] * 2, text[0]), at, offset))
        elif kind == "hint":
            tokens.append(Token(TokenKind.HINT, text[3:-2], at, offset))
        elif kind == "name":
            tokens.append(Token(TokenKind.NAME, text, at, offset, text.upper()))
        elif kind in ("number", "symbol"):
            tokens.append(Token(_PLAIN[kind], text, at, offset))
        breaks = text.count("\n")
        if breaks:
            line += breaks
            line_start = at.offset + text.rindex("\n") + 1
    end = Place(line, offset - line_start + 1, offset)
    tokens.append(Token(TokenKind.END, "", end, offset))
    return tokens


@dataclass(frozen=True)
class Quoted:
    """A part of a text that is no plain SQL. Its `kind` is string, quoted, comment or hint."""

    kind: str
    start: int
    end: int


def quoted_parts(script: str, start: int = 0) -> Iterator[Quoted]:
    """The strings, quoted names, comments and hints of a text, up to one that is never closed.

    The parts inside a hint follow it. `start` is the offset of the text in the whole script.
    """
    offset = 0
    while (opening := _OPENING.search(script, offset)) is not None:
        match = _TOKEN.match(script, opening.start())
        if match is None or match.lastgroup == "symbol":
            return
        end = _end_of_quoted(script, match.start(), match.end()) if match.lastgroup in _QUOTED else match.end()
        if end is None:
            return
        yield Quoted(match.lastgroup or "", start + match.start(), start + end)
        offset = end
        if match.lastgroup == "hint":
            yield from quoted_parts(match.group()[3:-2], start + match.start() + 3)


def _end_of_quoted(script: str, start: int, end: int) -> int | None:
    """The end of a quoted text whose second quote is before `end`. Two quotes inside mean one. None: it has no end.

    A regular expression for it would need a few hundred bytes for each letter.
    """
    quote = script[start]
    while script.startswith(quote, end):
        end = script.find(quote, end + 1) + 1
        if not end:
            return None
    return end


def _foreign(script: str, at: Place) -> SqlError:
    character = script[at.offset]
    if character in _UNCLOSED:
        return SqlError(f"this {_UNCLOSED[character]} is never closed", at)
    return SqlError(f"the character {character!r} has no meaning here", at)
