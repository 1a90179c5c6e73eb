"""Words, literals and their places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse.words.lexer import TokenKind, tokenize


def words(script: str) -> list[tuple[str, str]]:
    return [(token.kind.name, token.text) for token in tokenize(script)][:-1]


@pytest.mark.parametrize(
    ("script", "tokens"),
    [
        ("it's''s", None),
        ("'it''s'", [("STRING", "it's")]),
        ("''", [("STRING", "")]),
        ("`a``b` `user`", [("QUOTED", "a`b"), ("QUOTED", "user")]),
        ("-- it's; a comment\n1", [("NUMBER", "1")]),
        ("/* it's; `one` -- too */ 1 -- größer", [("NUMBER", "1")]),
        ("/*+ OPTIONS('a'='b') */", [("HINT", " OPTIONS('a'='b') ")]),
        ("1 1.5 .5 2. 1e3 1.5E-3", [("NUMBER", text) for text in ("1", "1.5", ".5", "2.", "1e3", "1.5E-3")]),
        ("größe $hh EXPR$3", [("NAME", "größe"), ("NAME", "$hh"), ("NAME", "EXPR$3")]),
        ("a<>b", [("NAME", "a"), ("SYMBOL", "<>"), ("NAME", "b")]),
        ("<= >= => != ||", [("SYMBOL", symbol) for symbol in ("<=", ">=", "=>", "!=", "||")]),
        ("U&'a''b' u&'\\0041' U 'a'", [("UNICODE", "a'b"), ("UNICODE", "\\0041"), ("NAME", "U"), ("STRING", "a")]),
        ("'a;b' ; '--c'", [("STRING", "a;b"), ("SYMBOL", ";"), ("STRING", "--c")]),
    ],
)  # fmt: skip
def test_tokens(script: str, tokens: list | None) -> None:
    if tokens is None:
        with pytest.raises(SqlError):
            tokenize(script)
    else:
        assert words(script) == tokens


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("SELECT 'abc", "line 1, column 8: this string is never closed"),
        ("SELECT U&'abc''", "line 1, column 8: this string is never closed"),
        ("a\n  `b", "line 2, column 3: this quoted name is never closed"),
        ("a /* b\n c", "line 1, column 3: this comment is never closed"),
        ("a\n\n #", "line 3, column 2: the character '#' has no meaning here"),
        ("\ufeffSELECT", "line 1, column 1: the character '\\ufeff' has no meaning here"),
    ],
)
def test_what_is_no_token(script: str, message: str) -> None:
    with pytest.raises(SqlError) as wrong:
        tokenize(script)
    assert str(wrong.value) == message


@given(st.text(alphabet="aZ_1.'`\"()=<>-/*+;, \n\r\té", max_size=40))
def test_places_are_those_of_the_text(script: str) -> None:
    try:
        tokens = tokenize(script)
    except SqlError:
        return
    for token in tokens[:-1]:
        line = script.split("\n")[token.at.line - 1]
        first = script[token.at.offset : token.end].split("\n")[0]
        assert line[token.at.column - 1 :].startswith(first)
    assert tokens[-1].kind is TokenKind.END and tokens[-1].at.offset == len(script)


def test_an_error_shows_its_line() -> None:
    wrong = SqlError("no", tokenize("a\n  bc d")[2].at, "a\n  bc d")
    assert str(wrong) == "line 2, column 6: no\n      bc d\n         ^"
