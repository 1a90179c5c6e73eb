"""State files that can go, because no recent position refers to them."""

from __future__ import annotations

from collections.abc import Iterable

COMMITS_KEPT = 2
"""State files stay for so many commits after their last reference, because a reader of the log may still read them."""


class Released:
    """State files to which the last positions no longer refer."""

    def __init__(self) -> None:
        self._referred: frozenset[str] = frozenset()
        self._waiting: list[frozenset[str]] = []

    @property
    def waiting(self) -> frozenset[str]:
        """The files that no position refers to and that stay for a while."""
        return frozenset().union(*self._waiting)

    def after(self, referred: frozenset[str], written: Iterable[str]) -> list[frozenset[str]]:
        """The files to remove once the stream is at a position that refers to these files.

        `written` are those that this process has written and not removed.
        """
        self._waiting.append((self._referred | {*written}) - referred - self.waiting)
        self._referred = referred
        gone = self._waiting[:-COMMITS_KEPT]
        self._waiting = self._waiting[-COMMITS_KEPT:]
        return gone
