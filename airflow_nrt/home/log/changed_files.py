"""Files that were written to after they had been read: what was added is in no result.

A stream reads a file once, as it stands. Looked at are those that were read last, for a file grows while its writer is
still at it; a verification looks at all.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from itertools import islice

from airflow_nrt.home.log.entries import Commit, SourceFile
from airflow_nrt.home.log.log import Log

LOOKED_AT = 256
"""How many files of a driver's source, or of a home, are looked at: their `stat` takes less than a millisecond."""


def change_of(file: SourceFile) -> str | None:
    """What has become of a file since it was read, None if nothing has. Raises FileNotFoundError if it is gone."""
    stat = os.stat(file.path)
    if (stat.st_size, stat.st_mtime_ns) == (file.size, file.modified):
        return None
    return f"the source file {file.path} changed after it was read ({file.size} bytes then, {stat.st_size} now)"


def changes_of(files: Iterable[SourceFile]) -> dict[str, str]:
    """What has become of those that changed, by their paths. One that can't be looked at from here has not."""
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
        """What has changed since the last look."""
        found = changes_of(self._files)
        told = [change for path, change in found.items() if self._known.get(path) != change]
        self._known = found
        return told
