"""Texts for logs, terminals and Airflow's database: made safe if they are of other origin, and numbers with a noun."""

from __future__ import annotations

import re

MOST_CHARACTERS = 10_000
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters except tabs and line breaks, marks of text direction, and surrogates."""


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text with `?` for characters that can't be shown or stored, cut to `most` characters."""
    if len(text) > most:
        ending = f"… ({len(text)} characters)"
        text = text[: most - len(ending)] + ending
    return _UNSEEN.sub("?", text.replace("\r\n", "\n"))


def counted(count: int, noun: str) -> str:
    """`1 window`, `2,000 windows`, `0 entries`, `3 batches`."""
    return f"{count:,} {noun if count == 1 else _many(noun)}"


def _many(noun: str) -> str:
    """The plural of a noun that follows the rules of spelling."""
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"
