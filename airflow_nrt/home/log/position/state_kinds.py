"""Files of state by their kinds: what the range of a file is of, and which files are needed, kept or dropped by it.

| kind            | the range of a file         | of                                     |
|-----------------|-----------------------------|----------------------------------------|
| `Partials`      | ends of windows (ms)        | window operators                       |
| `FiredRows`     | ends of rows; none of heads | OVER, rows that have fired             |
| `Numbers`       | when keys are forgotten     | rows numbered in order of arrival      |
| `GroupVersions` | versions                    | updating operators with groups         |
| `RowsByTime`    | rowtimes (ms)               | operators over recent rows             |
| `NumberedRows`  | numbers of batches          | rows that wait for the end of sources  |
| `TableParts`    | a number of a part          | tables whose rows change one by one    |

All other files are read whole, whatever their range is: published rows of windows, waiting changes, parts of rows of
OVER.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.home.log.entries import StateFile
from airflow_nrt.model.windows import Ends, Window

HEADS_END = BEFORE_TIME
"""The end under which heads are stored, so that they are ordered before all rows."""


_Kind = TypeVar("_Kind", bound="_Files")


@dataclass(frozen=True)
class _Files:
    files: tuple[StateFile, ...]

    def _only(self: _Kind, which: Callable[[StateFile], bool]) -> _Kind:
        return replace(self, files=tuple(file for file in self.files if which(file)))


@dataclass(frozen=True)
class Partials(_Files):
    """Partials of a window operator: absorbed rows, or closed slices."""

    @property
    def ends(self) -> tuple[Ends, ...]:
        """Of each file, the windows with which its first and its last slice close."""
        return tuple(map(_ends, self.files))

    @property
    def span(self) -> Ends:
        """The same of all files together. Raises ValueError if there are none."""
        return Ends(min(one.first for one in self.ends), max(one.last for one in self.ends))

    def closing(self, after: int, until: int) -> Partials:
        """The files with partials that close with windows of `after < end <= until`."""
        return self._only(lambda file: _ends(file).close_in(after, until))

    def open_after(self, end: int) -> Partials:
        """The files with partials that close after this end."""
        return self._only(lambda file: _ends(file).close_after(end))

    def closed_by(self, end: int) -> Partials:
        """The files whose partials have all closed by this end."""
        return self._only(lambda file: not _ends(file).close_after(end))

    def in_windows_after(self, end: int, window: Window) -> Partials:
        """The files with slices that are in a window which ends after this."""
        return self._only(lambda file: window.last_end(file.last) > end)

    def begun_by(self, end: int) -> Partials:
        """The files with partials that close by this end."""
        return self._only(lambda file: _ends(file).close_by(end))

    def outlast(self, after: int, until: int, window: Window) -> bool:
        """Whether a slice that closes in `after < end <= until` can be in a window that ends later."""
        return any(window.last_end(min(one.last, until)) > until for one in self.closing(after, until).ends)


def _ends(file: StateFile) -> Ends:
    return Ends(file.first, file.last)


@dataclass(frozen=True)
class FiredRows:
    """What rows of OVER that have fired leave to later ones: rows, and heads, which are of no time."""

    rows: tuple[StateFile, ...]
    heads: tuple[StateFile, ...]

    @classmethod
    def of(cls, files: Iterable[StateFile]) -> FiredRows:
        all_files = tuple(files)
        heads = tuple(file for file in all_files if file.last == HEADS_END)
        return cls(tuple(file for file in all_files if file not in heads), heads)


@dataclass(frozen=True)
class Numbers(_Files):
    """How many rows of each key have come, by the end (ms) at which the key is forgotten."""

    def known_at(self, watermark: int | None) -> Numbers:
        """The files with keys that are not forgotten at this watermark (ms)."""
        return self if watermark is None else self._only(lambda file: file.last > watermark + 1)


@dataclass(frozen=True)
class GroupVersions(_Files):
    """Groups of an updating operator, whole, by the version that wrote them; the newest of each counts."""

    def following(self, clock: int) -> int:
        """The next version, at this processing time (ms)."""
        return max([clock, *(file.last + 1 for file in self.files)])

    def after(self, version: int | None) -> GroupVersions:
        """The files with versions after this one; all if it is None."""
        return self if version is None else self._only(lambda file: file.last > version)

    def without(self, others: GroupVersions) -> GroupVersions:
        return self._only(lambda file: file not in others.files)

    @property
    def newest(self) -> int:
        """Raises ValueError if there are no files."""
        return max(file.last for file in self.files)

    @property
    def are_one_version(self) -> bool:
        return len(self.files) == 1 and self.files[0].first == self.files[0].last

    def follow(self, others: GroupVersions) -> bool:
        """Whether all these versions are newer than all others."""
        return all(file.first > others.newest for file in self.files)


@dataclass(frozen=True)
class RowsByTime(_Files):
    """Rows of an operator over recent rows, each in one file."""

    @property
    def latest(self) -> int | None:
        """The latest rowtime (ms), None without rows."""
        return max((file.last for file in self.files), default=None)

    def since(self, oldest: int) -> RowsByTime:
        """The files with rows at or after this rowtime."""
        return self._only(lambda file: file.last >= oldest)

    def within(self, spans: Iterable[tuple[int, int]]) -> RowsByTime:
        """The files that can have rows in one of these spans of rowtimes, whose ends belong to them."""
        known = tuple(spans)
        return self._only(lambda file: any(file.first <= last and file.last >= first for first, last in known))


@dataclass(frozen=True)
class NumberedRows(_Files):
    """Rows that wait for the end of their sources, by the numbers of their batches."""

    @property
    def following(self) -> int:
        """The number of the next batch."""
        return 1 + max((file.last for file in self.files), default=0)


@dataclass(frozen=True)
class TableParts(_Files):
    """The rows of a table in parts, each in a file."""

    def of(self, parts: Collection[int]) -> TableParts:
        return self._only(lambda file: file.first in parts)

    def without(self, parts: Collection[int]) -> TableParts:
        return self._only(lambda file: file.first not in parts)
