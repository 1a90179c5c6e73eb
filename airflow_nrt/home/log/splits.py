"""Splits: the pieces of a source that entries of the log say were read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

_BYTES_OF_A_ROW = 20


@dataclass(frozen=True)
class TableVersion:
    """A version of a table with a history, and how many files a source takes from it."""

    number: int
    files: int


@dataclass(frozen=True)
class SourceFile:
    """A file of a source as it was when it was read. A `corrupt` file could not be read, and gave no rows.

    `version` is the version in which the file was found, if the table has a history. With a file of the past of a topic
    all rows of the past before the time `until` (ms) are read; None for other files.
    """

    path: str
    size: int
    modified: int
    corrupt: bool = False
    version: TableVersion | None = None
    until: int | None = None

    @property
    def name(self) -> str:
        return self.path

    @property
    def is_empty(self) -> bool:
        """Whether it is known to have no rows."""
        return False

    @property
    def most_rows(self) -> int:
        """Its rows, if they are short: an unknown number is rather overestimated."""
        return self.size // _BYTES_OF_A_ROW


@dataclass(frozen=True)
class ArchivedElsewhere:
    """An archive that another home writes: the directory and the `id` of that home, and the name of the table.

    The part of a range is read from the archive up to the offset `until`, and after that from its source. Rows of hours
    before `since` (ms on the windows' clock) are left out.
    """

    home: str
    id: str
    table: str
    until: int
    since: int | None = None


@dataclass(frozen=True)
class SourceRange:
    """The records of a `part` of a source from the offset `start` up to, and without, `end`: about `size` bytes.

    An empty range says that the part is read from there on. A `lost` range was removed before it was read. If `archive`
    is set, the range is read from there and not from its source. `topic_id` is Kafka's id of the topic, in the first
    range that was read of it.
    """

    part: str
    start: int
    end: int
    size: int
    lost: bool = False
    archive: ArchivedElsewhere | None = None
    topic_id: str | None = None

    @property
    def name(self) -> str:
        return f"{self.part}@{self.start}-{self.end}"

    @property
    def corrupt(self) -> bool:
        return self.lost

    @property
    def is_empty(self) -> bool:
        return self.start == self.end

    @property
    def most_rows(self) -> int:
        return self.end - self.start


Split = SourceFile | SourceRange
"""A piece of a source that is read at once, in one batch."""


def files_of(splits: Iterable[Split]) -> tuple[SourceFile, ...]:
    return tuple(one for one in splits if isinstance(one, SourceFile))


def ranges_of(splits: Iterable[Split]) -> tuple[SourceRange, ...]:
    return tuple(one for one in splits if isinstance(one, SourceRange))


def without_ranges(one: SourceRange, others: Iterable[SourceRange]) -> list[SourceRange]:
    """What is left of a range without others of its part."""
    left = [(one.start, one.end)]
    for other in others:
        if other.part == one.part:
            cut = ((a, min(b, other.start), max(a, other.end), b) for a, b in left)
            left = [(a, b) for x, y, z, w in cut for a, b in ((x, y), (z, w)) if a < b]
    share = one.size / max(one.end - one.start, 1)
    return [replace(one, start=a, end=b, size=int((b - a) * share)) for a, b in left]
