"""Texts of others as they may go to logs, terminals and Airflow's database."""

from __future__ import annotations

import re

MOST_CHARACTERS = 10_000
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for tabs and line breaks, what turns the direction of a line, and halves of characters."""


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text with `?` for what can't be seen or stored. Of a longer one its beginning, in `most` characters."""
    if len(text) > most:
        told = f"… ({len(text)} characters)"
        text = text[: most - len(told)] + told
    return _UNSEEN.sub("?", text.replace("\r\n", "\n"))
