"""A cursor over tokens, on which every part of the parser is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from airflow_nrt.describe.script_secrets import shown_option
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.parse.words.escapes import without_escapes
from airflow_nrt.sql.parse.words.lexer import Token, TokenKind, tokenize
from airflow_nrt.sql.parse.words.reserved import RESERVED_IN_FLINK

T = TypeVar("T")

RESERVED = frozenset(
    """
    ALL AND AS BETWEEN BY CASE CAST CREATE CROSS CUBE DISTINCT ELSE END EXCEPT EXISTS FALSE FETCH FOR FROM FULL
    GROUP GROUPING HAVING IN INNER INSERT INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT MINUS NATURAL
    NOT NULL OFFSET ON OR ORDER OUTER OVER PARTITION QUALIFY RIGHT ROLLUP ROW ROWS SELECT SET SIMILAR TABLE THEN TO TRUE
    UNION UNNEST USING VALUES WHEN WHERE WINDOW WITH WITHIN
    """.split()
)
"""Words that need back-quotes to be a name. Without them, they are no alias."""

MAX_DIGITS = 10
"""The digits of the longest whole number in the grammar, the length in VARCHAR(2147483647)."""


class Cursor:
    """A position in the tokens of one script. `reserved` are the names so far that Flink takes only in back-quotes."""

    def __init__(self, script: str) -> None:
        self.script = script
        self.tokens = tokenize(script)
        self.index = 0
        self.closing = _closing(self.tokens)
        self.reserved: dict[str, None] = {}

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    @property
    def is_over(self) -> bool:
        return self.token.kind is TokenKind.END

    @property
    def at(self) -> Place:
        return self.token.at

    def ahead(self, count: int = 1) -> Token:
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        if token.kind is not TokenKind.END:
            self.index += 1
        return token

    def error(self, wanted: str) -> SqlError:
        token = self.token
        text = token.text
        for before in self.tokens[max(self.index - 2, 0) : self.index]:
            # It may be the secret of an option whose quotes or `=` are missing.
            text = shown_option(before.text, text) if before.kind is TokenKind.STRING else text
        shown = "the end of the script" if token.kind is TokenKind.END else repr(text)
        return SqlError(f"expected {wanted}, found {shown}", token.at)

    # ------------------------------------------------------------------ keywords and symbols

    def is_word(self, *words: str) -> bool:
        """Whether the next words are these keywords, in this order."""
        # Most calls fail at the first word.
        if self.tokens[self.index].upper != words[0]:
            return False
        return all(self.ahead(i).upper == word for i, word in enumerate(words[1:], 1))

    def take_word(self, *words: str) -> bool:
        if not self.is_word(*words):
            return False
        self.index += len(words)
        return True

    def take_any_word(self, *words: str) -> str | None:
        """Takes the next word if it is one of these."""
        if self.token.upper in words:
            return self.advance().upper
        return None

    def expect_word(self, *words: str) -> Place:
        at = self.at
        if not self.take_word(*words):
            raise self.error(" ".join(words))
        return at

    def is_symbol(self, *symbols: str) -> bool:
        if self.tokens[self.index].text != symbols[0]:
            return False
        return all(self.ahead(i).kind is TokenKind.SYMBOL and self.ahead(i).text == s for i, s in enumerate(symbols))

    def take_symbol(self, symbol: str) -> bool:
        if not self.is_symbol(symbol):
            return False
        self.index += 1
        return True

    def take_any_symbol(self, *symbols: str) -> str | None:
        if self.token.kind is TokenKind.SYMBOL and self.token.text in symbols:
            return self.advance().text
        return None

    def expect_symbol(self, symbol: str) -> Place:
        at = self.at
        if not self.take_symbol(symbol):
            raise self.error(repr(symbol))
        return at

    # ------------------------------------------------------------------ names and lists

    def is_name(self) -> bool:
        return self.token.kind is TokenKind.QUOTED or (
            self.token.kind is TokenKind.NAME and self.token.upper not in RESERVED
        )

    def name(self, what: str = "a name") -> str:
        if not self.is_name():
            raise self.error(what)
        token = self.advance()
        if token.kind is TokenKind.NAME and token.upper in RESERVED_IN_FLINK:
            self.reserved[token.text] = None
        return token.text

    def qualified_name(self, what: str = "a name") -> str:
        """The last part of a name that may be qualified with catalog and database."""
        name = self.name(what)
        while self.take_symbol("."):
            name = self.name(what)
        return name

    def is_string(self) -> bool:
        return self.token.kind in (TokenKind.STRING, TokenKind.UNICODE)

    def string(self, what: str = "a string in single quotes") -> str:
        """The value of a string, whose escapes (`U&'\\0041'`) begin with a backslash or what UESCAPE names."""
        if not self.is_string():
            raise self.error(what)
        token = self.advance()
        if token.kind is TokenKind.STRING:
            return token.text
        escape = self.string() if self.take_word("UESCAPE") else "\\"
        return without_escapes(token.text, escape, token.at)

    def option(self) -> tuple[str, str, Place]:
        """`'key' = 'value'`, and its place."""
        at = self.at
        key = self.string("an option: 'key' = 'value'")
        self.expect_symbol("=")
        return key, self.string("the option's value in single quotes"), at

    def integer(self, what: str = "a whole number") -> int:
        text = self.token.text
        if self.token.kind is not TokenKind.NUMBER or not text.isdigit() or len(text) > MAX_DIGITS:
            raise self.error(what)
        return int(self.advance().text)

    def listed(self, read: Callable[[], T]) -> tuple[T, ...]:
        """One or more, with commas between."""
        values = [read()]
        while self.take_symbol(","):
            values.append(read())
        return tuple(values)

    def parenthesised(self, read: Callable[[], T]) -> tuple[T, ...]:
        self.expect_symbol("(")
        values = self.listed(read)
        self.expect_symbol(")")
        return values

    def names(self, read: Callable[[], str] | None = None) -> tuple[str, ...]:
        """Names in parentheses, each different."""
        names: dict[str, None] = {}

        def one() -> None:
            at = self.at
            name = read() if read is not None else self.name()
            if name in names:
                raise SqlError(f"{name!r} is listed twice", at)
            names[name] = None

        self.parenthesised(one)
        return tuple(names)

    def text_since(self, start: Place) -> str:
        """The text from this place to the last token that was taken, on one line and without comments."""
        first = self.index
        while first and self.tokens[first - 1].at.offset >= start.offset:
            first -= 1
        text, end = "", start.offset
        for token in self.tokens[first : self.index]:
            gap = " " if token.at.offset > end else ""
            text, end = f"{text}{gap}{self.script[token.at.offset : token.end]}", token.end
        return text


def _closing(tokens: list[Token]) -> dict[int, int]:
    """The index of each opening parenthesis, with the index of its closing one."""
    closing: dict[int, int] = {}
    open_: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind is TokenKind.SYMBOL and token.text == "(":
            open_.append(index)
        elif token.kind is TokenKind.SYMBOL and token.text == ")" and open_:
            closing[open_.pop()] = index
    return closing
