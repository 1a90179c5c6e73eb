"""TUMBLE: windows one after another, each of one slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows.arithmetic import Ms
from airflow_nrt.model.windows.lengths import Length, check_offset, format_length, in_ms, longest
from airflow_nrt.model.windows.window import Window, check_positive


@dataclass(frozen=True)
class Tumble(Window):
    kind: ClassVar[str] = "TUMBLE"
    one_slice: ClassVar[bool] = True
    roles_of_row: ClassVar[tuple[str, ...]] = ("start", "end", "time")

    def last_end(self, slice_end: Ms) -> Ms:
        return slice_end

    def start(self, end: Ms) -> Ms:
        return self.grid.shifted(end, -1)

    @property
    def lengths(self) -> str:
        return f"TUMBLE {format_length(self.size)}"


def tumble(size: Length, offset: Length = 0) -> Tumble:
    """Raises InputError in Flink's words where Flink does."""
    check_positive("TUMBLE", f"size to be positive, but got {in_ms(size)}", size)
    check_offset("TUMBLE", size, offset)
    if longest(offset) >= longest(size):
        raise InputError(
            "TUMBLE table function parameters must satisfy abs(offset) < size, "
            f"but got size {in_ms(size)} and offset {in_ms(offset)}."
        )
    return Tumble(size, size, offset)
