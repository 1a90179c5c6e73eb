"""Symbolic links in the directory of a table: which of them are followed.

Whoever may write into a source directory need not be allowed to read what this process can read. So a link is followed
only if it stays in the directory, and if this user or root made it (docs/decisions/57-links-in-sources.md).
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Iterable, Iterator

from airflow_nrt.describe.overlaps import HIDDEN
from airflow_nrt.files.ownership import is_trusted_user
from airflow_nrt.model.options.known import FOLLOW_LINKS, source_option
from airflow_nrt.model.tables import Table

INSIDE, WARN, ALL = "inside", "warn", "all"
"""The values of 'source.follow-links'."""
_MOST_HOPS = 40
"""So many links may lead to one another, as in Linux."""

log = logging.getLogger(__name__)


class Links:
    """The links below the directory `root`; `follow` says which of them are followed. The root may be a link itself."""

    def __init__(self, root: str, follow: str = INSIDE) -> None:
        self.root = root
        self._when_strange = _WHEN_STRANGE[follow]
        self._warned: set[str] = set()

    @classmethod
    def of(cls, table: Table) -> Links:
        """Those of a table of files, by its options."""
        return cls(directory_of(table.path), source_option(table.options, FOLLOW_LINKS))

    @property
    def _real_root(self) -> str:
        """The root without links. It may be another one each time."""
        return os.path.realpath(self.root)

    @property
    def may_lead_out(self) -> bool:
        return self._when_strange is not _refuse

    def check(self, link: str) -> None:
        """Raises OSError for a link that is not followed, and for one that leads nowhere or only to itself."""
        real = os.path.realpath(link, strict=True)
        strange = self._strange(link, real)
        if strange is not None and link not in self._warned:
            self._when_strange(link, strange)
            self._warned.add(link)

    def own_name(self, path: str) -> str | None:
        """The path without links by which the file or directory at this path is found, too; None if nobody looks there.

        Raises OSError if nothing is there.
        """
        parts = _below(os.path.realpath(path, strict=True), self._real_root)
        if parts is None or any(part.startswith(HIDDEN) for part in parts):
            return None
        return os.path.join(self.root, *parts)

    def crossed(self, paths: Iterable[str]) -> Iterator[str]:
        """Those of these paths in the directory that have a link on the way, or at the end."""
        known: dict[str, bool] = {}
        for path in paths:
            directory = os.path.dirname(path)
            if directory not in known:
                known[directory] = any(self._links_to(directory))
            if known[directory] or (path != self.root and os.path.islink(path)):
                yield path

    def is_crossed(self, path: str) -> bool:
        return any(self._links_to(path))

    def refusals(self, paths: Iterable[str]) -> dict[str, str]:
        """Why files that were found at these paths are not read now, by path.

        One of them may have become a link since, or one of the directories above it.
        """
        found = {}
        for path in () if self.may_lead_out else self.crossed(paths):
            real = os.path.realpath(path)
            strange = next((why for link in self._links_to(path) if (why := self._strange(link, real))), None)
            if strange is not None:
                found[path] = _way_out(strange)
        return found

    def _links_to(self, path: str) -> Iterator[str]:
        """The links on the way from the root to a path in it."""
        place = self.root
        for part in _below(path, self.root) or ():
            place = os.path.join(place, part)
            if os.path.islink(place):
                yield place

    def _strange(self, link: str, real: str) -> str | None:
        """What keeps a link from being followed by the rule of `inside`."""
        for hop in _hops(link):
            made_by = os.lstat(hop).st_uid
            if not is_trusted_user(made_by):
                return f"user {made_by} made the link"
            if _below(os.path.realpath(os.path.dirname(hop)), self._real_root) is None:
                return f"it leads out of {self.root}"
        return f"it leads out of {self.root}" if _below(real, self._real_root) is None else None


def _refuse(link: str, strange: str) -> None:
    raise PermissionError(errno.EPERM, _way_out(strange))


def _way_out(strange: str) -> str:
    return f"{strange} ('source.follow-links')"


def _warn(link: str, strange: str) -> None:
    log.warning(
        "%s is followed, though %s: a home that is made now leaves it out. 'source.follow-links' = 'inside' leaves it "
        "out here, too, and 'all' follows it without this warning",
        link,
        strange,
    )


def _follow(link: str, strange: str) -> None:
    return


_WHEN_STRANGE: dict[str, Callable[[str, str], None]] = {INSIDE: _refuse, WARN: _warn, ALL: _follow}


def directory_of(path: str) -> str:
    """The root of a table of files, by its option 'path'."""
    return os.path.abspath(path.removeprefix("file://"))


def _below(path: str, root: str) -> list[str] | None:
    """The names that lead from a directory to a path, None if it is not inside."""
    if path == root:
        return []
    around = root.rstrip(os.sep) + os.sep
    return path.removeprefix(around).split(os.sep) if path.startswith(around) else None


def _hops(link: str) -> Iterator[str]:
    """The link, and the links that it leads to one after another."""
    for _ in range(_MOST_HOPS):
        if not os.path.islink(link):
            return
        yield link
        target = os.path.join(os.path.dirname(link), os.readlink(link))
        link = os.path.join(os.path.realpath(os.path.dirname(target)), os.path.basename(target))
