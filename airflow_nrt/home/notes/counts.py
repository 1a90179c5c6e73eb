"""Counts that are noted before their entry: an entry that is computed again counts once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Counts = TypeVar("Counts")


@dataclass(frozen=True)
class Counted(Generic[Counts]):
    """Counts of all entries; those `before` the `entry` that was counted last, None where none was."""

    counts: Counts
    entry: int | None
    before: Counts

    def plus(self, entry: int | None, found: Counts, add: Callable[[Counts, Counts], Counts]) -> Counted[Counts] | None:
        """With what was found in a driver's entry, or in a backfill (None); None if nothing changes."""
        if not found and self.entry != entry:
            return None
        if entry is None:
            return Counted(add(self.counts, found), self.entry, add(self.before, found))
        before = self.before if self.entry == entry else self.counts
        return Counted(add(before, found), entry, before)
