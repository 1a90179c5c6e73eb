"""The arithmetic of windows: which slice holds a row, which windows hold a slice, which of them still count a late row.

All times are milliseconds. A window is `[start, end)` and is named by its end, which within one operator is unique; the
windows of SESSION, which no grid holds, are named by the *slot* that they end in.

A *slice* is the largest span that no window boundary cuts; it too is named by its end. A row touches one slice.

    CUMULATE(step 10 min, size 30 min)            HOP(slide 10 min, size 20 min)
    [-- a --)                                     [-- a --|-- b --)
    [-- a --|-- b --)                                     [-- b --|-- c --)
    [-- a --|-- b --|-- c --)                                     [-- c --|-- d --)

Every function here is written once for two kinds of numbers: Python integers, and `Sql`, which builds the same formula
as Spark SQL text. So the stream, the batch and the verifier share one definition.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from airflow_nrt.basics.durations import MINUTE, format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME


@dataclass(frozen=True)
class Sql:
    """A BIGINT expression of Spark SQL that can be calculated with like an integer."""

    text: str

    def __add__(self, other: Sql | int) -> Sql:
        return Sql(f"({self.text} + {_text(other)})")

    def __radd__(self, other: int) -> Sql:
        return Sql(f"({_text(other)} + {self.text})")

    def __sub__(self, other: Sql | int) -> Sql:
        return Sql(f"({self.text} - {_text(other)})")

    def __rsub__(self, other: int) -> Sql:
        return Sql(f"({_text(other)} - {self.text})")

    def __mod__(self, other: int) -> Sql:
        return Sql(f"pmod({self.text}, {_text(other)})")

    def __str__(self) -> str:
        return self.text


Ms = TypeVar("Ms", int, Sql)
LONGEST_SLOT = MINUTE
"""What ends in one slot is compared and restated together."""


def _text(value: Sql | int) -> str:
    return value.text if isinstance(value, Sql) else f"{value}L"


def _later(a: Ms, b: Ms) -> Ms:
    """The later of the two. In SQL a NULL does not count, which is what an absent watermark means."""
    if isinstance(a, Sql):
        return Sql(f"greatest({a}, {b})")
    return max(a, b)


def _on_grid(at: Ms, stride: int, origin: int) -> Ms:
    """The first point of the grid `origin + k * stride` that is not before `at`."""
    return at + (origin - at) % stride


@dataclass(frozen=True)
class Window:
    """A windowing of FLIP-145. `size`, `stride` and `offset` in milliseconds; windows end every `stride`.

    `zone` is set for windows over instants (TIMESTAMP_LTZ): all times here are of that zone's wall clock, None is UTC.
    Of SESSION `size` is the gap, `stride` the length of a slot. Of OVER, where each row has a window of its own that
    ends behind it, `size` is how far back rows are looked at.
    With `only_updates` a window of CUMULATE is there for a key only if its last step brought the key a row, or if it is
    the last one of its start.

    Use the constructors `tumble`, `hop`, `cumulate`, `session` and `over`: they check what Flink checks.
    """

    kind: str
    size: int
    stride: int
    offset: int = 0
    zone: str | None = None
    only_updates: bool = False

    @property
    def slice(self) -> int:
        """The length of a slice."""
        return math.gcd(self.size, self.stride) if self.kind == "HOP" else self.stride

    @property
    def has_slots(self) -> bool:
        """Whether a window can end at any time, so that those of one slot are named together."""
        return self.kind in ("SESSION", "OVER")

    @property
    def has_gaps(self) -> bool:
        """Whether there are rowtimes that no window holds: HOP with a slide longer than its size."""
        return self.stride > self.size

    @property
    def _end_origin(self) -> int:
        return self.offset + self.size if self.kind == "HOP" else self.offset

    def slice_end(self, at: Ms) -> Ms:
        """The slice that holds a row with this rowtime."""
        return at + self.slice - (at - self.offset) % self.slice

    def first_end(self, slice_end: Ms) -> Ms:
        """The first window that holds this slice. In a gap of HOP (slide > size) it lies after `last_end`."""
        return _on_grid(slice_end, self.stride, self._end_origin)

    def last_end(self, slice_end: Ms) -> Ms:
        """The last window that holds this slice."""
        if self.kind == "CUMULATE":
            return _on_grid(slice_end, self.size, self.offset)
        if self.has_slots:
            return slice_end
        slice_start = slice_end - self.slice
        return slice_start - (slice_start - self.offset) % self.stride + self.size

    def start(self, end: Ms) -> Ms:
        """The start of the window that ends here."""
        if self.kind == "CUMULATE":
            return end - 1 - (end - 1 - self.offset) % self.size
        return end - (self.stride if self.has_slots else self.size)

    def name(self, end: Ms) -> Ms:
        """The end that a window is published under: its own, of SESSION that of its slot."""
        return _on_grid(end, self.stride, 0) if self.has_slots else end

    def first_open_end(self, watermark: Ms) -> Ms:
        """The first window end, of any slice, that is not complete at this watermark."""
        return _on_grid(watermark + 2, self.stride, self._end_origin)

    def counted_from(self, slice_end: Ms, watermark: Ms) -> Ms:
        """The first window in which a row of this slice counts, if its batch began at this watermark.

        It counts in that one and all later ones up to `last_end`; in none if the result lies after `last_end`.
        """
        return _later(self.first_end(slice_end), self.first_open_end(watermark))

    def last_complete_end(self, watermark: int) -> int:
        """The last window end, of any slice, that is complete at this watermark."""
        if self.has_slots:
            return watermark + 1
        return self.first_open_end(watermark) - self.stride

    def ends(self, slice_end: int) -> range:
        """All windows that hold this slice."""
        return range(self.first_end(slice_end), self.last_end(slice_end) + 1, self.stride)

    def ends_between(self, after: int, until: int) -> Iterator[int]:
        """All window ends with `after < end <= until`."""
        return iter(range(_on_grid(after + 1, self.stride, self._end_origin), until + 1, self.stride))

    def earliest_row(self, end: int) -> int:
        """The earliest rowtime that a window ending here can hold: a session can be as long as it likes."""
        if self.kind == "SESSION":
            return -END_OF_TIME
        return max(self.start(end) - self.size, -END_OF_TIME) if self.kind == "OVER" else self.start(end)

    def rows_until(self, end: int) -> int:
        """The rowtime before which all rows lie that matter to a window ending here: one at its end joins a session."""
        return end + 1 if self.kind == "SESSION" else end

    def __str__(self) -> str:
        if self.kind == "OVER":
            text = "OVER"
        elif self.kind in ("TUMBLE", "SESSION"):
            text = f"{self.kind} {format_duration(self.size)}"
        else:
            text = f"{self.kind} {format_duration(self.stride)} / {format_duration(self.size)}"
        if self.offset:
            text += f", offset {format_duration(self.offset)}"
        if self.only_updates:
            text += ", where a step brought rows"
        return f"{text}, {self.zone}" if self.zone else text


def is_complete(end: int, watermark: int | None) -> bool:
    """A window is complete when the watermark of its operator has reached its last millisecond."""
    return watermark is not None and watermark >= end - 1


def counts_in(window: Window, slice_end: int, watermark_before: int | None, end: int) -> bool:
    """Whether a row of this slice counts in the window ending at `end`.

    It does iff the window holds the slice and was not complete when the row's batch began (`DESIGN`: lateness is per
    window, judged by the watermark at the beginning of the batch).
    """
    return end in window.ends(slice_end) and not is_complete(end, watermark_before)


def tumble(size: int, offset: int = 0) -> Window:
    """Raises InputError in Flink's words where Flink does."""
    _positive("TUMBLE", f"size to be positive, but got {size} ms", size)
    if abs(offset) >= size:
        raise InputError(
            "TUMBLE table function parameters must satisfy abs(offset) < size, "
            f"but got size {size} ms and offset {offset} ms."
        )
    return Window("TUMBLE", size, size, offset)


def hop(slide: int, size: int, offset: int = 0) -> Window:
    """Raises InputError in Flink's words where Flink does. A size that is no multiple of the slide is fine here."""
    _positive("HOP", f"slide and size to be positive, but got slide {slide} ms and size {size} ms", slide, size)
    return Window("HOP", size, slide, offset)


def cumulate(step: int, size: int, offset: int = 0) -> Window:
    """Raises InputError in Flink's words where Flink does."""
    wanted = f"maxSize and step to be positive, but got maxSize {size} ms and step {step} ms"
    _positive("CUMULATE", wanted, step, size)
    if size % step:
        raise InputError(
            "CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, "
            f"but got maxSize {size} ms and step {step} ms: "
            f"{format_duration(size)} is not a multiple of {format_duration(step)}."
        )
    return Window("CUMULATE", size, step, offset)


def session(gap: int) -> Window:
    """Raises InputError in Flink's words where Flink does."""
    _positive("SESSION", f"gap to be positive, but got gap {gap} ms", gap)
    return Window("SESSION", gap, min(gap, LONGEST_SLOT))


def over(reach: int = END_OF_TIME) -> Window:
    """Row windows that look at rows up to `reach` milliseconds before the current one."""
    return Window("OVER", reach, LONGEST_SLOT)


def _positive(kind: str, wanted: str, *lengths: int) -> None:
    if min(lengths) <= 0:
        raise InputError(f"{kind} table function based aggregate requires {wanted}.")
