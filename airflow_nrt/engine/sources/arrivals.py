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
from airflow_nrt.engine.sources.closing import Closing
from airflow_nrt.engine.sources.known_files import KnownFiles
from airflow_nrt.engine.sources.links import INSIDE, Links
from airflow_nrt.engine.sources.listing import Inode, Listing, inode_of, list_directory
from airflow_nrt.engine.sources.unfit_files import shown_path, why_unfit
from airflow_nrt.home.log.fold.inputs import SourceInputs
from airflow_nrt.home.log.fold.looks import Look, Looks, inode_text
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.model.options.known import CLOSE_AFTER, FOLLOW_LINKS, source_option
from airflow_nrt.model.tables import Table

SETTLED_NS = 2_000_000_000
"""A listing is reused if the directory was unchanged for so long before it: a new file gives it a newer time."""
AGAIN_NS = 300_000_000_000
"""A directory is listed again after this, in case the clock of a file system is wrong."""
SETTLED_AGAIN_NS = 24 * 3_600_000_000_000
"""The same for one that was listed twice without a change, so far apart."""
_SECONDS_FOR_SETTLED = 0.5
"""The most time of a poll for listing such directories again. At least one is."""
MOST_DEPTH = 64
"""Directories that lie deeper below the root are left out."""

_EFFECTIVE = os.access in os.supports_effective_ids

log = logging.getLogger(__name__)


class Arrivals:
    """Finds new files below `root` (a directory, or one file). Names that begin with `_` or `.` are skipped.

    `known` are the paths that were read before. A directory is listed again only if its modification time is new, and
    once in a while. `closing` knows which directories are closed.

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
        known: Iterable[str] | KnownFiles = (),
        tolerant: bool = True,
        follow: str = INSIDE,
        closing: Closing | None = None,
    ) -> None:
        self.root = Path(root.removeprefix("file://")).absolute()
        self.pattern = re.compile(pattern) if pattern else None
        self.known = known if isinstance(known, KnownFiles) else KnownFiles.of(known)
        self.closing = closing or Closing(None, SourceInputs())
        self.tolerant = tolerant
        self.unreadable: dict[str, str] = {}
        self._links = Links(str(self.root), follow)
        self._behind: dict[Inode, str] | None = None
        self._looks: dict[str, Look] = {}
        self._listed: set[str] = set()
        self._behind_links: set[str] = set()
        self._until = 0.0

    @classmethod
    def of(cls, table: Table, read: SourceInputs) -> Arrivals:
        """The arrivals of a table, by its options."""
        return cls._of(table, read, source_option(table.options, "source.unreadable-files") == "wait")

    @classmethod
    def all_of(cls, table: Table) -> list[SourceFile]:
        """All files of a table. Raises InputError if one of them can't be opened."""
        return cls._of(table, SourceInputs(), tolerant=False).poll()

    @classmethod
    def _of(cls, table: Table, read: SourceInputs, tolerant: bool) -> Arrivals:
        pattern = source_option(table.options, "source.path.regex-pattern")
        closing = Closing(source_option(table.options, CLOSE_AFTER), read)
        follow = source_option(table.options, FOLLOW_LINKS)
        return cls(table.path, pattern, KnownFiles(read.files), tolerant, follow, closing)

    def resume(self, looks: Looks) -> None:
        """Goes on with what a driver saw before, of whose files all are among the known ones."""
        self._looks = dict(looks)

    def looks(self) -> Looks:
        """What a later driver may go on with, if it knows all files that were found: of directories without links in
        them or on the way, of which no file waits."""
        waiting = {os.path.dirname(path) for path in self.unreadable} | set(self.closing.unread)
        left_out = waiting | self._behind_links
        return {name: look for name, look in self._looks.items() if name not in left_out and self._is_plain(name, look)}

    def _is_plain(self, directory: str, look: Look) -> bool:
        """Whether no link is in the directory or on the way to it: where one leads may change."""
        return not look.links and directory not in self._behind_links

    def closable(self) -> list[str]:
        """The directories that close, if no file is under way that was found in them. The table's own never does."""
        looks = ((name, look) for name, look in self.looks().items() if name != str(self.root))
        return [name for name, look in looks if self.closing.may_close(name, look)]

    def poll(self) -> list[SourceFile]:
        """The files that arrived since the last poll, oldest first.

        Raises InputError if the directory does not exist, or for a file that can't be opened if none may wait.
        """
        now = time.time_ns()
        self._listed.clear()
        self._until = time.monotonic() + _SECONDS_FOR_SETTLED
        before, self.unreadable = self.unreadable, {}
        if self.root.is_file():
            found = self._file(str(self.root), follow_symlinks=True)
        elif self.root.is_dir():
            found = list(self._walk(now))
        else:
            raise InputError(f"the source directory {self.root} does not exist")
        # The directory of a file does not change when its permissions do.
        found += [file for path in before if path not in self.unreadable for file in self._again(path)]
        found = self.closing.kept_out({file.path: file for file in found}.values(), self._listed.__contains__)
        for path, reason in self.unreadable.items():
            if path not in before:
                log.warning("%s can't be opened (%s): it waits until it can", shown_path(path), reason)
        self.known.update(file.path for file in found)
        self.known.rest(now)
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
                    self._behind_links.add(listing.directory)
                    links += listing.links
                    yield from (file for path in listing.files for file in self._file_behind(path))

    def _listings(self, top: str, now: int, entered: set[Inode]) -> Iterator[Listing]:
        """The directories at and below `top` that have not been entered. Links in them are not followed.

        A directory that has not changed since it was listed has no files here.
        """
        waiting = [top]
        while waiting:
            directory = waiting.pop()
            look = self._looks.get(directory)
            if look is not None and self.closing.passes(directory, now):
                waiting += Listing.without_files(directory, look).directories
                continue
            try:
                found = os.stat(directory, follow_symlinks=directory == top)
                if inode_of(found) in entered or not S_ISDIR(found.st_mode):
                    continue
                entered.add(inode_of(found))
                self.closing.looked(directory, now)
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
        look = self._looks.get(directory)
        as_before = look if look is not None and look.is_of(found) else None
        if as_before is not None and not self._is_due(directory, as_before, now):
            return Listing.without_files(directory, as_before)
        if directory.count(os.sep) > str(self.root).count(os.sep) + MOST_DEPTH:
            raise PermissionError(errno.EPERM, f"more than {MOST_DEPTH} directories lie above it")
        listing = list_directory(directory)
        self._listed.add(directory)
        if now - found.st_mtime_ns > SETTLED_NS:
            since = now if as_before is None else as_before.since
            names = (tuple(map(os.path.basename, some)) for some in (listing.directories, listing.links))
            self._looks[directory] = Look(inode_text(found), found.st_mtime_ns, since, now, *names)
        return listing

    def _is_due(self, directory: str, look: Look, now: int) -> bool:
        """Whether a directory that looks unchanged is listed again."""
        age = now - look.listed
        is_settled = look.listed - look.since >= AGAIN_NS and self._is_plain(directory, look)
        if not is_settled:
            return not 0 <= age <= AGAIN_NS or self.closing.waits_for_listing(directory, look, now)
        if directory in self.closing.closed or (self._listed and time.monotonic() > self._until):
            return False
        return not 0 <= age <= SETTLED_AGAIN_NS or self.closing.waits_for_listing(directory, look, now)

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
