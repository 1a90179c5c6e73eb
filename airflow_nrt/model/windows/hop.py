"""HOP: windows of one size that begin every slide. They share slices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.durations import DAY
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows.arithmetic import Ms, later
from airflow_nrt.model.windows.grid import Every, Grid
from airflow_nrt.model.windows.lengths import (
    Length,
    check_nested,
    check_offset,
    format_length,
    in_ms,
)
from airflow_nrt.model.windows.months import Months
from airflow_nrt.model.windows.window import Window, check_positive


@dataclass(frozen=True)
class Hop(Window):
    """`stride` is the slide."""

    kind: ClassVar[str] = "HOP"
    nested: ClassVar[bool] = False

    size: int
    stride: int
    offset: int = 0

    @property
    def grid(self) -> Grid:
        return Every(self.stride, (self.offset + self.size) % self.stride)

    @property
    def slices(self) -> Grid:
        return Every(math.gcd(self.size, self.stride), self.offset)

    @property
    def has_gaps(self) -> bool:
        """True if the slide is longer than the size."""
        return self.stride > self.size

    def last_end(self, slice_end: Ms) -> Ms:
        return Every(self.stride, self.offset).at_or_before(slice_end - self.slices.shortest) + self.size

    def start(self, end: Ms) -> Ms:
        return end - self.size


@dataclass(frozen=True)
class MonthlyHop(Window):
    """A window of months ends every `stride`, which is a day or months; a slice is a stride.

    It begins so many months before its end: the one that ends on 31 March covers the time from the last day of February
    on, if its size is a month, and so do those that end on the 29th and the 30th.
    """

    kind: ClassVar[str] = "HOP"
    nested: ClassVar[bool] = False

    size: Months

    def last_end(self, slice_end: Ms) -> Ms:
        """Of the windows that begin at or before the slice. Some days have no window that begins on them."""
        start = self.grid.shifted(slice_end, -1)
        return later(start + self.size, self.grid.shifted(slice_end + self.size, -1))

    def start(self, end: Ms) -> Ms:
        return end - self.size


def hop(slide: Length, size: Length, offset: Length = 0) -> Hop | MonthlyHop:
    """Raises InputError in Flink's words where Flink does. A size in days or less need not be a multiple of the slide.

    A size in months needs a slide of a day, or of months that divide it.
    """
    wanted = f"slide and size to be positive, but got slide {in_ms(slide)} and size {in_ms(size)}"
    check_positive("HOP", wanted, slide, size)
    check_offset("HOP", size, offset)
    if isinstance(size, Months):
        check_nested("HOP", slide, size)
        if not isinstance(slide, Months) and slide != DAY:
            raise InputError(f"HOP: windows of {size} have no slide of {format_length(slide)}: take a day, or months")
        return MonthlyHop(size, slide, offset)
    if isinstance(slide, Months):
        check_nested("HOP", slide, size)
    assert isinstance(slide, int) and isinstance(offset, int)
    return Hop(size, slide, offset)
