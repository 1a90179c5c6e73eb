"""Files that changed after they had been read: what was added is in no result.

A stream reads a file once. It checks the files that were read last, because a file grows only while its writer is still
at work; a verification checks all files.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable

from airflow_nrt.home.log.home_state import LAST_FILES
from airflow_nrt.home.log.splits import SourceFile


def change_of(file: SourceFile) -> str | None:
    """How a file has changed since it was read, None if it has not. Raises FileNotFoundError if it is gone."""
    stat = os.stat(file.path)
    if (stat.st_size, stat.st_mtime_ns) == (file.size, file.modified):
        return None
    return f"the source file {file.path} changed after it was read ({file.size} bytes then, {stat.st_size} now)"


def changes_of(files: Iterable[SourceFile]) -> dict[str, str]:
    """The changes by path. A file that this host can't see counts as unchanged."""
    found = {}
    for file in files:
        try:
            change = None if file.corrupt else change_of(file)
        except (OSError, ValueError):
            continue
        if change is not None:
            found[file.path] = change
    return found


class LastRead:
    """The files that a driver has read last of a source."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._files = deque(files, LAST_FILES)
        self._known: dict[str, str] = {}

    def add(self, files: Iterable[SourceFile]) -> None:
        self._files.extend(files)

    def news(self) -> list[str]:
        """The changes since the last call."""
        found = changes_of(self._files)
        new = [change for path, change in found.items() if self._known.get(path) != change]
        self._known = found
        return new
