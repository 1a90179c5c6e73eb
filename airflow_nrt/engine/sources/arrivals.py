"""What has arrived in a directory: the files that were not there before, found without listing everything each time."""

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
"""A directory that has not changed for this long before it was listed can't hide a file: its clock has moved on."""
FULL_LISTING_NS = 300_000_000_000
"""Every so often everything is listed anew, in case a file system's clocks can't be trusted."""

_EFFECTIVE = os.access in os.supports_effective_ids

log = logging.getLogger(__name__)


class Arrivals:
    """Finds new files below `root` (a directory, or one file). Names that begin with `_` or `.` are not there yet.

    `seen` are the paths that were read before. A directory is listed again only if its modification time is new.

    What can't be opened (a link to nothing, a file without permission) waits in `held`, by path with the reason, and is
    found when it can: one such file is no reason to stop all others.
    """

    def __init__(self, root: str, pattern: str | None, seen: Iterable[str] = (), holds: bool = True) -> None:
        self.root = Path(root.removeprefix("file://")).absolute()
        self.pattern = re.compile(pattern) if pattern else None
        self.seen = set(seen)
        self.holds = holds
        self.held: dict[str, str] = {}
        self._listed: dict[str, tuple[int, list[str]]] = {}
        self._last_full = 0

    @classmethod
    def of(cls, table: Table, seen: Iterable[str] = ()) -> Arrivals:
        """What arrives for a table, as its options say."""
        pattern = source_option(table.options, "source.path.regex-pattern")
        return cls(table.path, pattern, seen, source_option(table.options, "source.unreadable-files") == "wait")

    def poll(self) -> list[SourceFile]:
        """The files that arrived since the last poll, oldest first.

        Raises InputError if the directory is not there, or for a file that can't be opened where none is to wait.
        """
        now = time.time_ns()
        if now - self._last_full > FULL_LISTING_NS:
            self._listed.clear()
            self._last_full = now
        before, self.held = self.held, {}
        if self.root.is_file():
            found = self._file(str(self.root))
        elif self.root.is_dir():
            found = list(self._walk(str(self.root), now))
        else:
            raise InputError(f"the source directory {self.root} does not exist")
        # The directory of a link does not change when that which it leads to comes.
        found += [file for path in before if path not in self.held for file in self._file(path)]
        found = list({file.path: file for file in found}.values())
        for path, reason in self.held.items():
            if path not in before:
                log.warning("%s can't be opened (%s): it waits until it can", path, reason)
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
        try:
            listed = os.scandir(directory)
        except PermissionError as wrong:
            if directory == str(self.root):
                raise
            self._hold(directory, wrong)
            return
        with listed as entries:
            for entry in entries:
                if entry.name.startswith(("_", ".")):
                    continue
                if os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir():
                    children.append(entry.path)
                elif entry.path not in self.seen:
                    yield from self._file(entry.path)
        for child in children:
            yield from self._walk(child, now)
        if now - modified > SETTLED_NS:
            self._listed[directory] = (modified, children)

    def _file(self, path: str) -> list[SourceFile]:
        if path in self.seen or (self.pattern is not None and not self.pattern.fullmatch(path)):
            return []
        try:
            stat = os.stat(path)
            if S_ISDIR(stat.st_mode):
                # It could not be listed before.
                return []
            if not os.access(path, os.R_OK, effective_ids=_EFFECTIVE):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as wrong:
            # A file that was taken away between the listing and this look is no link to nothing.
            if wrong.errno != errno.ENOENT or os.path.lexists(path):
                self._hold(path, wrong)
            return []
        return [SourceFile(path, stat.st_size, stat.st_mtime_ns)]

    def _hold(self, path: str, wrong: OSError) -> None:
        leads = f", it is a link to {os.readlink(path)}" if os.path.islink(path) else ""
        reason = f"{wrong.strerror}{leads}"
        if not self.holds:
            raise InputError(
                f"{path} can't be opened: {reason}. Take it away or make it readable, or set "
                "'source.unreadable-files' = 'wait' to read it when that is possible"
            )
        self.held[path] = reason


def partition_values(path: str, root: str) -> dict[str, str]:
    """`ds=2024-06-18/hh=10` of a path below the root, as a mapping."""
    below = Path(path).relative_to(Path(root.removeprefix("file://")).absolute()).parts[:-1]
    pairs = (part.split("=", 1) for part in below if "=" in part)
    return {name: unquote(value) for name, value in pairs}
