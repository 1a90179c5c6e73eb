"""Tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with these heads."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def type_text(annotation: str) -> str:
    """A type in a cell, as "`int` or `None`": GitHub wants the bar of `int | None` escaped, the site wants it plain."""
    alternatives = re.split(r" \| (?![^\[]*\])", annotation)
    return " or ".join(f"`{one.replace(' | ', ' or ')}`" for one in alternatives)


def _cell(text: str) -> str:
    """Raises ValueError for a text that GitHub and the site would show differently."""
    if "|" in text:
        raise ValueError(f"no bar can stand in a cell of a table: {text}")
    return text
