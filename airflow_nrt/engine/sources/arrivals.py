"""What has arrived in a directory: the files that were not there before, found without listing everything each time."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from airflow_nrt.report.entries import SourceFile
from airflow_nrt.report.errors import InputError

SETTLED_NS = 2_000_000_000
"""A directory that has not changed for this long before it was listed can't hide a file: its clock has moved on."""
FULL_LISTING_NS = 300_000_000_000
"""Every so often everything is listed anew, in case a file system's clocks can't be trusted."""


class Arrivals:
    """Finds new files below `root` (a directory, or one file). Names that begin with `_` or `.` are not there yet.

    `seen` are the paths that were read before. A directory is listed again only if its modification time is new.
    """

    def __init__(self, root: str, pattern: str | None, seen: Iterable[str] = ()) -> None:
        self.root = Path(root.removeprefix("file://")).absolute()
        self.pattern = re.compile(pattern) if pattern else None
        self.seen = set(seen)
        self._listed: dict[str, tuple[int, list[str]]] = {}
        self._last_full = 0

    def poll(self) -> list[SourceFile]:
        """The files that arrived since the last poll, oldest first. Raises InputError if the directory is not there."""
        now = time.time_ns()
        if now - self._last_full > FULL_LISTING_NS:
            self._listed.clear()
            self._last_full = now
        if self.root.is_file():
            found = self._file(str(self.root), os.stat(self.root))
        elif self.root.is_dir():
            found = list(self._walk(str(self.root), now))
        else:
            raise InputError(f"the source directory {self.root} does not exist")
        self.seen.update(file.path for file in found)
        return sorted(found, key=lambda file: (file.modified, file.path))

    def _walk(self, directory: str, now: int) -> Iterator[SourceFile]:
        modified = os.stat(directory).st_mtime_ns
        known = self._listed.get(directory)
        if known is not None and known[0] == modified:
            for child in known[1]:
                yield from self._walk(child, now)
            return
        children = []
        with os.scandir(directory) as entries:
            for entry in entries:
                if entry.name.startswith(("_", ".")):
                    continue
                if entry.is_dir():
                    children.append(entry.path)
                elif entry.path not in self.seen:
                    yield from self._file(entry.path, entry.stat())
        for child in children:
            yield from self._walk(child, now)
        if now - modified > SETTLED_NS:
            self._listed[directory] = (modified, children)

    def _file(self, path: str, stat: os.stat_result) -> list[SourceFile]:
        if path in self.seen or (self.pattern is not None and not self.pattern.fullmatch(path)):
            return []
        return [SourceFile(path, stat.st_size, stat.st_mtime_ns)]


def partition_values(path: str, root: str) -> dict[str, str]:
    """`ds=2024-06-18/hh=10` of a path below the root, as a mapping."""
    below = Path(path).relative_to(Path(root.removeprefix("file://")).absolute()).parts[:-1]
    pairs = (part.split("=", 1) for part in below if "=" in part)
    return {name: unquote(value) for name, value in pairs}
