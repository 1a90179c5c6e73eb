"""Arrivals in a directory: finds the new files without listing everything each time."""

from __future__ import annotations

import errno
import logging
import os
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from stat import S_ISDIR
from urllib.parse import unquote

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.log.entries import SourceFile
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import Table

SETTLED_NS = 2_000_000_000
"""A listing is reused if the directory was unchanged for so long before it: a new file gives it a newer time."""
FULL_LISTING_NS = 300_000_000_000
"""The interval of full listings, in case the clock of a file system is wrong."""

_EFFECTIVE = os.access in os.supports_effective_ids

log = logging.getLogger(__name__)


class Arrivals:
    """Finds new files below `root` (a directory, or one file). Names that begin with `_` or `.` are skipped.

    `known` are the paths that were read before. A directory is listed again only if its modification time is new.

    A file that can't be opened (a dangling link, a file without permission) waits in `unreadable`, by path with the
    reason, and is found once it can be opened, so that it does not stop all others. Unless the reader is `tolerant`,
    such a file is an error.
    """

    def __init__(self, root: str, pattern: str | None, known: Iterable[str] = (), tolerant: bool = True) -> None:
        self.root = Path(root.removeprefix("file://")).absolute()
        self.pattern = re.compile(pattern) if pattern else None
        self.known = set(known)
        self.tolerant = tolerant
        self.unreadable: dict[str, str] = {}
        self._listed: dict[str, tuple[int, list[str]]] = {}
        self._last_full = 0

    @classmethod
    def of(cls, table: Table, known: Iterable[str] = ()) -> Arrivals:
        """The arrivals of a table, by its options."""
        pattern = source_option(table.options, "source.path.regex-pattern")
        return cls(table.path, pattern, known, source_option(table.options, "source.unreadable-files") == "wait")

    def poll(self) -> list[SourceFile]:
        """The files that arrived since the last poll, oldest first.

        Raises InputError if the directory does not exist, or for a file that can't be opened if none may wait.
        """
        now = time.time_ns()
        if now - self._last_full > FULL_LISTING_NS:
            self._listed.clear()
            self._last_full = now
        before, self.unreadable = self.unreadable, {}
        if self.root.is_file():
            found = self._file(str(self.root))
        elif self.root.is_dir():
            found = list(self._walk(str(self.root), now))
        else:
            raise InputError(f"the source directory {self.root} does not exist")
        # The directory of a link does not change when the target of the link appears.
        found += [file for path in before if path not in self.unreadable for file in self._file(path)]
        found = list({file.path: file for file in found}.values())
        for path, reason in self.unreadable.items():
            if path not in before:
                log.warning("%s can't be opened (%s): it waits until it can", path, reason)
        self.known.update(file.path for file in found)
        return sorted(found, key=lambda file: (file.modified, file.path))

    def _walk(self, directory: str, now: int) -> Iterator[SourceFile]:
        modified = os.stat(directory).st_mtime_ns
        known = self._listed.get(directory)
        if known is not None and known[0] == modified:
            for child in known[1]:
                yield from self._walk(child, now)
            return
        children = []
        try:
            listed = os.scandir(directory)
        except PermissionError as wrong:
            if directory == str(self.root):
                raise
            self._defer(directory, wrong)
            return
        with listed as entries:
            for entry in entries:
                if entry.name.startswith(("_", ".")):
                    continue
                if os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir():
                    children.append(entry.path)
                elif entry.path not in self.known:
                    yield from self._file(entry.path)
        for child in children:
            yield from self._walk(child, now)
        if now - modified > SETTLED_NS:
            self._listed[directory] = (modified, children)

    def _file(self, path: str) -> list[SourceFile]:
        if path in self.known or (self.pattern is not None and not self.pattern.fullmatch(path)):
            return []
        try:
            stat = os.stat(path)
            if S_ISDIR(stat.st_mode):
                # A directory that could not be listed before.
                return []
            if not os.access(path, os.R_OK, effective_ids=_EFFECTIVE):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as wrong:
            # A file that was removed since the listing is not a dangling link.
            if wrong.errno != errno.ENOENT or os.path.lexists(path):
                self._defer(path, wrong)
            return []
        return [SourceFile(path, stat.st_size, stat.st_mtime_ns)]

    def _defer(self, path: str, wrong: OSError) -> None:
        leads = f", it is a link to {os.readlink(path)}" if os.path.islink(path) else ""
        reason = f"{wrong.strerror}{leads}"
        if not self.tolerant:
            raise InputError(
                f"{path} can't be opened: {reason}. Take it away or make it readable, or set "
                "'source.unreadable-files' = 'wait' to read it when that is possible"
            )
        self.unreadable[path] = reason


def partition_values(path: str, root: str) -> dict[str, str]:
    """`ds=2024-06-18/hh=10` of a path below the root, as a mapping."""
    below = Path(path).relative_to(Path(root.removeprefix("file://")).absolute()).parts[:-1]
    pairs = (part.split("=", 1) for part in below if "=" in part)
    return {name: unquote(value) for name, value in pairs}
