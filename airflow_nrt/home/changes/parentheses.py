"""Parentheses that a person would not write, taken out of an expression that people read."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"'(?:[^']|'')*'|`(?:[^`]|``)*`|\"[^\"]*\"|.", re.DOTALL)
_OPENS, _CLOSES = ("(", ", "), (")", ", ")
_QUERY = re.compile(r"\((?:sub)?query \d+\)")


def without_doubled(text: str) -> str:
    """The text without parentheses that enclose a whole argument: `SUM((a * b))` is `SUM(a * b)`.

    Those around several values stay, and those around a query.
    """
    tokens = _TOKEN.findall(text)
    gone: set[int] = set()
    open_at: list[int] = []
    commas: list[bool] = []
    for at, token in enumerate(tokens):
        if token == "(":
            open_at.append(at)
            commas.append(False)
        elif token == "," and commas:
            commas[-1] = True
        elif token == ")" and open_at:
            start, is_list = open_at.pop(), commas.pop()
            inside = "".join(tokens[start : at + 1])
            if not is_list and _is_whole(tokens, start, at) and _QUERY.fullmatch(inside) is None:
                gone |= {start, at}
    return "".join(token for at, token in enumerate(tokens) if at not in gone)


def _is_whole(tokens: list[str], start: int, end: int) -> bool:
    """Whether the parentheses enclose a whole argument of a call."""
    before, after = "".join(tokens[max(0, start - 2) : start]), "".join(tokens[end + 1 : end + 3])
    return before.endswith(_OPENS) and after.startswith(_CLOSES)
