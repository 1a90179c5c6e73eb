"""Files that changed after they had been read: what was added is in no result.

A stream reads a file once. It checks the files that were read last, because a file grows only while its writer is still
at work; a verification checks all files.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from itertools import islice

from airflow_nrt.home.log.entries import Commit, SourceFile
from airflow_nrt.home.log.log import Log

LOOKED_AT = 256
"""How many files of a driver's source, or of a home, are checked: their `stat` takes less than a millisecond."""


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


def last_read(log: Log) -> list[SourceFile]:
    """The files that a home's drivers have read last."""
    commits = (entry.body for entry in log.backwards() if isinstance(entry.body, Commit))
    return list(islice((file for commit in commits for file in reversed(commit.files)), LOOKED_AT))


class LastRead:
    """The files that a driver has read last of a source."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._files = deque(files, LOOKED_AT)
        self._known: dict[str, str] = {}

    def add(self, files: Iterable[SourceFile]) -> None:
        self._files.extend(files)

    def news(self) -> list[str]:
        """The changes since the last call."""
        found = changes_of(self._files)
        new = [change for path, change in found.items() if self._known.get(path) != change]
        self._known = found
        return new
