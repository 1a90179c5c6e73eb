"""Arrivals in a directory: finds the new files without listing everything each time."""

from __future__ import annotations

import errno
import logging
import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from urllib.parse import unquote

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.sources.links import INSIDE, Links
from airflow_nrt.engine.sources.listing import Inode, Listing, inode_of, list_directory
from airflow_nrt.engine.sources.unfit_files import shown_path, why_unfit
from airflow_nrt.home.log.entries import SourceFile
from airflow_nrt.model.options.known import FOLLOW_LINKS, source_option
from airflow_nrt.model.tables import Table

SETTLED_NS = 2_000_000_000
"""A listing is reused if the directory was unchanged for so long before it: a new file gives it a newer time."""
FULL_LISTING_NS = 300_000_000_000
"""The interval of full listings, in case the clock of a file system is wrong."""
MOST_DEPTH = 64
"""Directories that lie deeper below the root are left out."""

_EFFECTIVE = os.access in os.supports_effective_ids

log = logging.getLogger(__name__)


class Arrivals:
    """Finds new files below `root` (a directory, or one file). Names that begin with `_` or `.` are skipped.

    `known` are the paths that were read before. A directory is listed again only if its modification time is new.

    A file that can't be opened (a dangling link, one that `follow` leaves out, a file without permission, one with a
    name that Spark does not take) waits in `unreadable`, by path with the reason, and is found once it can be opened,
    so that it does not stop all others. Unless the reader is `tolerant`, such a file is an error.

    Links may lead to one another, and to the directories around them: what has a name of its own below the root is
    found by that name, and everything else behind links once.
    """

    def __init__(
        self,
        root: str,
        pattern: str | None,
        known: Iterable[str] = (),
        tolerant: bool = True,
        follow: str = INSIDE,
    ) -> None:
        self.root = Path(root.removeprefix("file://")).absolute()
        self.pattern = re.compile(pattern) if pattern else None
        self.known = set(known)
        self.tolerant = tolerant
        self.unreadable: dict[str, str] = {}
        self._links = Links(str(self.root), follow)
        self._behind: dict[Inode, str] | None = None
        self._listed: dict[str, tuple[tuple[Inode, int], Listing]] = {}
        self._last_full = 0

    @classmethod
    def of(cls, table: Table, known: Iterable[str] = ()) -> Arrivals:
        """The arrivals of a table, by its options."""
        return cls._of(table, known, source_option(table.options, "source.unreadable-files") == "wait")

    @classmethod
    def all_of(cls, table: Table) -> list[SourceFile]:
        """All files of a table. Raises InputError if one of them can't be opened."""
        return cls._of(table, (), tolerant=False).poll()

    @classmethod
    def _of(cls, table: Table, known: Iterable[str], tolerant: bool) -> Arrivals:
        pattern = source_option(table.options, "source.path.regex-pattern")
        return cls(table.path, pattern, known, tolerant, source_option(table.options, FOLLOW_LINKS))

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
            found = self._file(str(self.root), follow_symlinks=True)
        elif self.root.is_dir():
            found = list(self._walk(now))
        else:
            raise InputError(f"the source directory {self.root} does not exist")
        # The directory of a file does not change when its permissions do.
        found += [file for path in before if path not in self.unreadable for file in self._again(path)]
        found = list({file.path: file for file in found}.values())
        for path, reason in self.unreadable.items():
            if path not in before:
                log.warning("%s can't be opened (%s): it waits until it can", shown_path(path), reason)
        self.known.update(file.path for file in found)
        return sorted(found, key=lambda file: (file.modified, file.path))

    def _walk(self, now: int) -> Iterator[SourceFile]:
        """The new files: first those without a link on the way, then those behind links, in the order of the links."""
        links: list[str] = []
        for listing in self._listings(str(self.root), now, set()):
            links += listing.links
            yield from (file for path in listing.files for file in self._file(path))
        entered: set[Inode] = set()
        while links:
            found, links = sorted(link for link in links if self._is_followed(link)), []
            for link in found:
                if not os.path.isdir(link):
                    yield from self._file_behind(link)
                    continue
                for listing in self._listings(link, now, entered):
                    links += listing.links
                    yield from (file for path in listing.files for file in self._file_behind(path))

    def _listings(self, top: str, now: int, entered: set[Inode]) -> Iterator[Listing]:
        """The directories at and below `top` that have not been entered. Links in them are not followed.

        A directory that has not changed since it was listed has no files here.
        """
        waiting = [top]
        while waiting:
            directory = waiting.pop()
            try:
                found = os.stat(directory, follow_symlinks=directory == top)
                if inode_of(found) in entered or not S_ISDIR(found.st_mode):
                    continue
                entered.add(inode_of(found))
                listing = self._listing(directory, found, now)
            except (FileNotFoundError, PermissionError) as wrong:
                if directory == str(self.root):
                    raise
                if isinstance(wrong, PermissionError):
                    self._defer(directory, wrong)
                continue
            waiting += listing.directories
            yield listing

    def _listing(self, directory: str, found: os.stat_result, now: int) -> Listing:
        state = (inode_of(found), found.st_mtime_ns)
        known = self._listed.get(directory)
        if known is not None and known[0] == state:
            return known[1]
        if directory.count(os.sep) > str(self.root).count(os.sep) + MOST_DEPTH:
            raise PermissionError(errno.EPERM, f"more than {MOST_DEPTH} directories lie above it")
        listing = list_directory(directory)
        if now - found.st_mtime_ns > SETTLED_NS:
            self._listed[directory] = (state, listing.without_files())
        return listing

    def _file(self, path: str, follow_symlinks: bool = False) -> list[SourceFile]:
        if path in self.known or not self._is_asked_for(path):
            return []
        try:
            stat = os.stat(path, follow_symlinks=follow_symlinks)
            if S_ISDIR(stat.st_mode) or S_ISLNK(stat.st_mode):
                # A directory that could not be listed before, or what has become a link, which the next listing has.
                return []
            if not S_ISREG(stat.st_mode):
                raise PermissionError(errno.EPERM, "it is no regular file")
            if not os.access(path, os.R_OK, effective_ids=_EFFECTIVE):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            unfit = why_unfit(path)
            if unfit is not None:
                raise PermissionError(errno.EPERM, unfit)
        except OSError as wrong:
            self._defer_unless_gone(path, wrong)
            return []
        return [SourceFile(path, stat.st_size, stat.st_mtime_ns)]

    def _is_asked_for(self, path: str) -> bool:
        return self.pattern is None or self.pattern.fullmatch(path) is not None

    # ------------------------------------------------------------------ links

    def _is_followed(self, link: str) -> bool:
        if link in self.known:
            return False
        try:
            own = self._links.own_name(link)
            if own is not None and (self.pattern is None or (self._is_asked_for(own) and not os.path.isdir(own))):
                return False
            self._links.check(link)
        except OSError as wrong:
            self._defer_unless_gone(link, wrong)
            return False
        return True

    def _again(self, path: str) -> list[SourceFile]:
        """A file that could not be opened before."""
        if not self._links.is_crossed(path):
            return self._file(path)
        return [] if self._links.refusals([path]) else self._file_behind(path)

    def _file_behind(self, path: str) -> list[SourceFile]:
        """A new file with a link on the way, unless it is found by another path, too."""
        found = self._file(path, follow_symlinks=True)
        try:
            return [] if found and self._has_other_path(path) else found
        except FileNotFoundError:
            return []

    def _has_other_path(self, path: str) -> bool:
        own = self._links.own_name(path)
        if own is not None and self._is_asked_for(own):
            return True
        if self._behind is None:
            self._behind = {}
            for known in self._links.crossed(self.known):
                with suppress(OSError):
                    self._behind[inode_of(os.stat(known))] = known
        inode = inode_of(os.stat(path))
        # The number of a file that is gone may be given to another one.
        other = self._behind.get(inode)
        if other not in (None, path) and os.path.exists(other) and inode_of(os.stat(other)) == inode:
            return True
        self._behind[inode] = path
        return False

    # ------------------------------------------------------------------ what waits

    def _defer_unless_gone(self, path: str, wrong: OSError) -> None:
        # What was removed since the listing is no dangling link.
        if wrong.errno != errno.ENOENT or os.path.lexists(path):
            self._defer(path, wrong)

    def _defer(self, path: str, wrong: OSError) -> None:
        leads = f", it is a link to {os.readlink(path)}" if os.path.islink(path) else ""
        reason = f"{wrong.strerror}{leads}"
        if not self.tolerant:
            raise InputError(
                f"{shown_path(path)} can't be opened: {reason}. Take it away or make it readable, or set "
                "'source.unreadable-files' = 'wait' to read it when that is possible"
            )
        self.unreadable[path] = reason


def partition_values(path: str, root: str) -> dict[str, str]:
    """`ds=2024-06-18/hh=10` of a path below the root, as a mapping."""
    below = Path(path).relative_to(Path(root.removeprefix("file://")).absolute()).parts[:-1]
    pairs = (part.split("=", 1) for part in below if "=" in part)
    return {name: unquote(value) for name, value in pairs}
