"""Python modules beside a report. A process imports each name once, so that every one has its own."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from textwrap import dedent

_NUMBERS = count()


def write_module(place: Path, text: str) -> str:
    """Writes a module into a directory; gives its name."""
    name = f"nrt_tests_module_{next(_NUMBERS)}"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.py").write_text(dedent(text))
    return name
