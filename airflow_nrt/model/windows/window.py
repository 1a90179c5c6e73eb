"""Kinds of windows: which slice holds a row, which windows hold a slice, which windows still count a late row.

All times are milliseconds. A window is `[start, end)` and is named by its end, which is unique within an operator.

A *slice* is the largest span that no window boundary cuts. It is named by its end, too. A row belongs to one slice.

    CUMULATE(step 10 min, size 30 min)            HOP(slide 10 min, size 20 min)
    [-- a --)                                     [-- a --|-- b --)
    [-- a --|-- b --)                                     [-- b --|-- c --)
    [-- a --|-- b --|-- c --)                                     [-- c --|-- d --)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows.arithmetic import Ms, later
from airflow_nrt.model.windows.grid import Grid
from airflow_nrt.model.windows.lengths import Length, format_length, grid_of, longest
from airflow_nrt.model.windows.months import Months


@dataclass(frozen=True)
class Ends:
    """Of stored partials: the ends (ms) of the windows with which the first and the last of their slices close."""

    first: int
    last: int

    def close_by(self, end: int) -> bool:
        """Whether some close with windows up to this end."""
        return self.first <= end

    def close_after(self, end: int) -> bool:
        """Whether some close with later windows."""
        return self.last > end

    def close_in(self, after: int, until: int) -> bool:
        """Whether some can close with windows of `after < end <= until`."""
        return self.close_by(until) and self.close_after(after)


@dataclass(frozen=True)
class Window(ABC):
    """A windowing of FLIP-145. `size`, `stride` and `offset` in milliseconds or months; windows end every `stride`.

    `zone` is set for windows over instants (TIMESTAMP_LTZ): all times are of that zone's wall clock; None is UTC. With
    `only_updates` CUMULATE emits a window for a key only if its last step has a row of the key, or if it is the last
    window with its start.

    Use the functions `tumble`, `hop`, `cumulate`, `session` and `over`: they check what Flink checks.
    """

    kind: ClassVar[str]
    """Flink's name, in capitals."""
    ends_on_grid: ClassVar[bool] = True
    """Whether windows end on a grid. Others end at any time, and those that end in one slot are published together."""
    bounded_by_rows: ClassVar[bool] = False
    """Whether its rows decide where a window begins and ends. Then a late row can change the windows of other rows."""
    nested: ClassVar[bool] = True
    """Whether of two windows with a common slice the later one holds all of the earlier. Then a late row can count in a
    later slice, and a distinct value never leaves a window."""
    one_slice: ClassVar[bool] = False
    """Whether each window is one slice."""
    looked_at_early: ClassVar[bool] = True
    """Whether a window can have early results."""
    identifying_roles: ClassVar[tuple[str, ...]] = ("end", "time", "start")
    """Roles of the window columns that each identify a window."""
    roles_of_row: ClassVar[tuple[str, ...]] = ()
    """Roles of the window columns that are the same in all windows of a row."""
    of_each_row: ClassVar[bool] = False
    """Whether each row has a window of its own."""
    semantics: ClassVar[int] = 1
    """The version of its results, to be raised when the same rows give others (`home/identity/semantics.py`)."""

    size: Length
    stride: Length
    offset: Length = 0
    zone: str | None = None
    only_updates: bool = False

    @property
    def longest(self) -> int:
        """The longest that `size` can be (ms)."""
        return longest(self.size)

    @property
    def grid(self) -> Grid:
        """The points on which windows end."""
        return grid_of(self.stride, self.offset)

    @property
    def slices(self) -> Grid:
        """The points on which slices end."""
        return self.grid

    @property
    def has_months(self) -> bool:
        """Whether a length is so many months."""
        return isinstance(self.size, Months) or isinstance(self.stride, Months)

    @property
    def has_gaps(self) -> bool:
        """Whether some rowtimes are in no window."""
        return False

    def slice_end(self, at: Ms) -> Ms:
        """The slice that holds a row with this rowtime."""
        return self.slices.after(at)

    def first_end(self, slice_end: Ms) -> Ms:
        """The first window that holds this slice. In a gap it is after `last_end`."""
        return self.grid.at_or_after(slice_end)

    @abstractmethod
    def last_end(self, slice_end: Ms) -> Ms:
        """The last window that holds this slice."""

    @abstractmethod
    def start(self, end: Ms) -> Ms:
        """The start of the window that ends here."""

    def name(self, end: Ms) -> Ms:
        """The end under which a window is published."""
        return end

    def first_open_end(self, watermark: Ms) -> Ms:
        """The first window end, of any slice, that is not complete at this watermark."""
        return self.grid.first_open(watermark)

    def counted_from(self, slice_end: Ms, watermark: Ms) -> Ms:
        """The first window in which a row of this slice counts, if its batch began at this watermark.

        It counts in that window and all later ones up to `last_end`; in none if the result is after `last_end`.
        """
        return later(self.first_end(slice_end), self.first_open_end(watermark))

    def last_complete_end(self, watermark: int) -> int:
        """The last window end, of any slice, that is complete at this watermark."""
        return self.grid.before(self.first_open_end(watermark))

    def ends(self, slice_end: int) -> Iterator[int]:
        """All windows that hold this slice."""
        return self.ends_between(slice_end - 1, self.last_end(slice_end))

    def ends_between(self, after: int, until: int) -> Iterator[int]:
        """All window ends with `after < end <= until`."""
        return self.grid.between(after + 1, until)

    def is_due(self, until: int, fired: int | None, rows: Sequence[Ends], closed: Sequence[Ends]) -> bool:
        """Whether any window with rows that ends at or before `until` has not fired; those up to `fired` have.

        `rows` are partials as they were absorbed, `closed` those of slices that have fired.
        """
        if fired is None:
            return any(one.close_by(until) for one in rows)
        opened = any(one.close_in(fired, until) for one in rows)
        return until > fired and (opened or any(self.last_end(one.last) > fired for one in closed))

    def earliest_row(self, end: int) -> int:
        """The earliest rowtime that a window ending here can hold."""
        return self.start(end)

    def rows_until(self, end: int) -> int:
        """The rowtime that is after all rows of a window that ends at `end`."""
        return end

    @property
    def lengths(self) -> str:
        """Its kind and lengths, for people."""
        return f"{self.kind} {format_length(self.stride)} / {format_length(self.size)}"

    def __str__(self) -> str:
        text = self.lengths
        if self.offset:
            text += f", offset {format_length(self.offset)}"
        if self.only_updates:
            text += ", where a step brought rows"
        return f"{text}, {self.zone}" if self.zone else text


def is_complete(end: int, watermark: int | None) -> bool:
    """A window is complete when the watermark of its operator has reached its last millisecond."""
    return watermark is not None and watermark >= end - 1


def counts_in(window: Window, slice_end: int, watermark_before: int | None, end: int) -> bool:
    """Whether a row of this slice counts in the window ending at `end`.

    It does iff the window holds the slice and was not complete when the row's batch began. Lateness is per window: the
    watermark at the beginning of the batch decides.
    """
    return end in window.ends(slice_end) and not is_complete(end, watermark_before)


def check_positive(kind: str, wanted: str, *lengths: Length) -> None:
    """Raises InputError, in Flink's words, for a length that is not positive."""
    if min(one.count if isinstance(one, Months) else one for one in lengths) <= 0:
        raise InputError(f"{kind} table function based aggregate requires {wanted}.")
