"""CUMULATE: windows with one start, whose ends are a step apart, up to the size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows.arithmetic import Ms, on_grid
from airflow_nrt.model.windows.window import Window, check_positive


@dataclass(frozen=True)
class Cumulate(Window):
    """`stride` is the step."""

    kind: ClassVar[str] = "CUMULATE"
    identifying_roles: ClassVar[tuple[str, ...]] = ("end", "time")
    roles_of_row: ClassVar[tuple[str, ...]] = ("start",)

    def last_end(self, slice_end: Ms) -> Ms:
        return on_grid(slice_end, self.size, self.offset)

    def start(self, end: Ms) -> Ms:
        return end - 1 - (end - 1 - self.offset) % self.size

    @property
    def lengths(self) -> str:
        return f"CUMULATE {format_duration(self.stride)} / {format_duration(self.size)}"


def cumulate(step: int, size: int, offset: int = 0) -> Cumulate:
    """Raises InputError in Flink's words where Flink does."""
    wanted = f"maxSize and step to be positive, but got maxSize {size} ms and step {step} ms"
    check_positive("CUMULATE", wanted, step, size)
    if size % step:
        raise InputError(
            "CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, "
            f"but got maxSize {size} ms and step {step} ms: "
            f"{format_duration(size)} is not a multiple of {format_duration(step)}."
        )
    return Cumulate(size, step, offset)
