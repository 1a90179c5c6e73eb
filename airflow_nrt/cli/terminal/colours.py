"""Colours, only for a person: on a terminal, unless NO_COLOR (https://no-color.org) is set or the terminal is dumb."""

from __future__ import annotations

import os
from enum import Enum
from typing import TextIO

_END = "\x1b[0m"


class Colour(Enum):
    """The meaning of a text, as codes of ECMA-48."""

    GOOD = "\x1b[32m"
    WARNING = "\x1b[33m"
    WRONG = "\x1b[31m"
    TITLE = "\x1b[1m"
    ASIDE = "\x1b[2m"


def painted(text: str, colour: Colour, stream: TextIO) -> str:
    """The text as this stream shows it."""
    return f"{colour.value}{text}{_END}" if text and takes_colours(stream) else text


def takes_colours(stream: TextIO) -> bool:
    """Whether the reader of this stream can show colours."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO) -> bool:
    """Whether a person reads this stream. A closed or replaced stream has no terminal."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False
