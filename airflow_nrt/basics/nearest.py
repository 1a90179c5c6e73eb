"""Suggestions for a name that is misspelt."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path

_MOST = 1000
"""So many files of a directory are looked at."""


def nearest(name: str, names: Iterable[str], label: str = "did you mean") -> str:
    """`; did you mean 'x'?`, or '' if no name is similar."""
    original = {n.lower(): n for n in names if not n.endswith("*")}
    near = difflib.get_close_matches(name.lower(), original, n=1, cutoff=0.6)
    return f"; {label} {original[near[0]]!r}?" if near else ""


def nearest_file(path: Path) -> str:
    """The same, of a path that is not there, and what lies beside it."""
    with suppress(OSError):
        beside = islice((one.name for one in path.parent.iterdir() if one.name != path.name), _MOST)
        return nearest(path.name, sorted(beside))
    return ""
