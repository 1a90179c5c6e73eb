"""Windows that end at any time instead of on a grid. Those that end in one slot are published under one name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.model.windows.arithmetic import Ms
from airflow_nrt.model.windows.window import Window

LONGEST_SLOT = MINUTE
"""Windows that end in one slot are compared and restated together."""


@dataclass(frozen=True)
class SlotWindow(Window):
    """`stride` is the length of a slot."""

    ends_on_grid: ClassVar[bool] = False

    size: int
    stride: int

    def last_end(self, slice_end: Ms) -> Ms:
        return slice_end

    def start(self, end: Ms) -> Ms:
        """The start of the slot."""
        return end - self.stride

    def name(self, end: Ms) -> Ms:
        """The end of the slot."""
        return self.grid.at_or_after(end)

    def last_complete_end(self, watermark: int) -> int:
        return watermark + 1
