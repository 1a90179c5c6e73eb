"""Whether files of homes are opened by their store alone: an audit hook sees each `open` of this process.

What Spark and other processes open by themselves is not watched.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

PRODUCT = str(Path(__file__).resolve().parents[1] / "airflow_nrt")
STORE, FILES = f"{PRODUCT}/home/store/", f"{PRODUCT}/files/"
GUARDED = frozenset(
    {"log", "checkpoints", "heartbeats", "ledger", "notes", "schemas", "stop", "report.json", "outline.json"}
)
"""What a home has that the store alone opens. The rest has a path: Spark reads and writes state, staged results,
versions of looked-up tables and the scratch directory; spark-submit, Java and Python read launches; processes print
into driver.log."""

REMOVES = "home/removal.py"
"""Removes a home that is closed, directory by directory."""

_roots: set[str] = set()
found: dict[str, str] = {}
"""By module of the product, a file that it has opened past the store."""


def watch_homes() -> None:
    """From now on all homes of this process are watched."""
    from airflow_nrt.home.store.posix import PosixStore

    _roots.clear()
    made = PosixStore.__init__

    def init(self: PosixStore, root: Path) -> None:
        made(self, root)
        _roots.add(str(root))

    PosixStore.__init__ = init  # type: ignore[method-assign]
    sys.addaudithook(_audit)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event != "open" or not _roots or not isinstance(arguments[0], (str, os.PathLike)):
        return
    path = os.fspath(arguments[0])
    if isinstance(path, str) and not GUARDED.isdisjoint(_parts(path)):
        module = _opener(sys._getframe(1))
        if module not in (None, REMOVES):
            found.setdefault(str(module), path)


def _parts(path: str) -> set[str]:
    """The first names below the homes that this path lies in."""
    parts = path.split("/")
    return {parts[count] for count in range(2, len(parts)) if "/".join(parts[:count]) in _roots}


def _opener(frame: FrameType | None) -> str | None:
    """The module of the product that opens; None if it is the store, or a test."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(STORE) or "/tests/" in file:
            return None
        if file.startswith(PRODUCT) and not file.startswith(FILES):
            return file.removeprefix(f"{PRODUCT}/")
        frame = frame.f_back
    return None
