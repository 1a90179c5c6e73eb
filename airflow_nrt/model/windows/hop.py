"""HOP: windows of one size that begin every slide. They share slices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.model.windows.arithmetic import Ms
from airflow_nrt.model.windows.window import Window, check_positive


@dataclass(frozen=True)
class Hop(Window):
    """`stride` is the slide."""

    kind: ClassVar[str] = "HOP"
    nested: ClassVar[bool] = False

    @property
    def slice(self) -> int:
        return math.gcd(self.size, self.stride)

    @property
    def has_gaps(self) -> bool:
        """True if the slide is longer than the size."""
        return self.stride > self.size

    @property
    def origin(self) -> int:
        return self.offset + self.size

    def last_end(self, slice_end: Ms) -> Ms:
        slice_start = slice_end - self.slice
        return slice_start - (slice_start - self.offset) % self.stride + self.size

    def start(self, end: Ms) -> Ms:
        return end - self.size

    @property
    def lengths(self) -> str:
        return f"HOP {format_duration(self.stride)} / {format_duration(self.size)}"


def hop(slide: int, size: int, offset: int = 0) -> Hop:
    """Raises InputError in Flink's words where Flink does. The size need not be a multiple of the slide."""
    check_positive("HOP", f"slide and size to be positive, but got slide {slide} ms and size {size} ms", slide, size)
    return Hop(size, slide, offset)
