"""The words of Flink SQL: identifiers, literals, symbols, hints; comments are dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from airflow_nrt.sql.errors import Place, SqlError


class Kind(Enum):
    NAME = "name"
    QUOTED = "quoted name"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    HINT = "hint"
    END = "end of the script"


@dataclass(frozen=True)
class Token:
    """`text` is the value: a quoted name or string without its quotes, a hint without its marks."""

    kind: Kind
    text: str
    at: Place
    end: int

    @property
    def upper(self) -> str:
        """The word in upper case if it can be a keyword, else nothing."""
        return self.text.upper() if self.kind is Kind.NAME else ""


_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<hint>/\*\+.*?\*/)
  | (?P<comment>--[^\n]*|/\*.*?\*/)
  | (?P<string>'(?:[^']|'')*')
  | (?P<quoted>`(?:[^`]|``)+`)
  | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<name>[^\W\d]\w*(?:\$\w*)*|\$\w+)
  | (?P<symbol><>|<=|>=|!=|\|\||=>|::|[-+*/%=<>(),.;\[\]{}?:@&|^~])
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING = re.compile(r"['`]|--|/\*")
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
        if kind == "string":
            tokens.append(Token(Kind.STRING, text[1:-1].replace("''", "'"), at, offset))
        elif kind == "quoted":
            tokens.append(Token(Kind.QUOTED, text[1:-1].replace("``", "`"), at, offset))
        elif kind == "hint":
            tokens.append(Token(Kind.HINT, text[3:-2], at, offset))
        elif kind in ("number", "name", "symbol"):
            tokens.append(Token(Kind(kind), text, at, offset))
        breaks = text.count("\n")
        if breaks:
            line += breaks
            line_start = at.offset + text.rindex("\n") + 1
    end = Place(line, offset - line_start + 1, offset)
    tokens.append(Token(Kind.END, "", end, offset))
    return tokens


@dataclass(frozen=True)
class Quoted:
    """A part of a text that is not read as words: its `kind` is string, quoted, comment or hint."""

    kind: str
    start: int
    end: int


def quoted_parts(script: str, start: int = 0) -> Iterator[Quoted]:
    """Strings, quoted names, comments and hints, those in a hint after it; up to one that is never closed.

    `start` is where the script begins in what it is a part of.
    """
    offset = 0
    while (opening := _OPENING.search(script, offset)) is not None:
        match = _TOKEN.match(script, opening.start())
        if match is None or match.lastgroup == "symbol":
            return
        offset = match.end()
        yield Quoted(match.lastgroup or "", start + match.start(), start + offset)
        if match.lastgroup == "hint":
            yield from quoted_parts(match.group()[3:-2], start + match.start() + 3)


def _foreign(script: str, at: Place) -> SqlError:
    character = script[at.offset]
    if character in _UNCLOSED:
        return SqlError(f"this {_UNCLOSED[character]} is never closed", at)
    return SqlError(f"the character {character!r} has no meaning here", at)
