"""TUMBLE: windows one after another, each of one slice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows.arithmetic import Ms
from airflow_nrt.model.windows.window import Window, check_positive


@dataclass(frozen=True)
class Tumble(Window):
    kind: ClassVar[str] = "TUMBLE"
    one_slice: ClassVar[bool] = True
    roles_of_row: ClassVar[tuple[str, ...]] = ("start", "end", "time")

    def last_end(self, slice_end: Ms) -> Ms:
        return slice_end

    def start(self, end: Ms) -> Ms:
        return end - self.size

    @property
    def lengths(self) -> str:
        return f"TUMBLE {format_duration(self.size)}"


def tumble(size: int, offset: int = 0) -> Tumble:
    """Raises InputError in Flink's words where Flink does."""
    check_positive("TUMBLE", f"size to be positive, but got {size} ms", size)
    if abs(offset) >= size:
        raise InputError(
            "TUMBLE table function parameters must satisfy abs(offset) < size, "
            f"but got size {size} ms and offset {offset} ms."
        )
    return Tumble(size, size, offset)
