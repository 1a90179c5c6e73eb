"""CUMULATE: windows with one start, whose ends are a step apart, up to the size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows.arithmetic import Ms
from airflow_nrt.model.windows.grid import Grid
from airflow_nrt.model.windows.lengths import (
    Length,
    check_nested,
    check_offset,
    grid_of,
    in_ms,
)
from airflow_nrt.model.windows.window import Window, check_positive


@dataclass(frozen=True)
class Cumulate(Window):
    """`stride` is the step."""

    kind: ClassVar[str] = "CUMULATE"
    identifying_roles: ClassVar[tuple[str, ...]] = ("end", "time")
    roles_of_row: ClassVar[tuple[str, ...]] = ("start",)

    @property
    def starts(self) -> Grid:
        return grid_of(self.size, self.offset)

    def last_end(self, slice_end: Ms) -> Ms:
        return self.starts.at_or_after(slice_end)

    def start(self, end: Ms) -> Ms:
        return self.starts.before(end)


def cumulate(step: Length, size: Length, offset: Length = 0) -> Cumulate:
    """Raises InputError in Flink's words where Flink does."""
    wanted = f"maxSize and step to be positive, but got maxSize {in_ms(size)} and step {in_ms(step)}"
    check_positive("CUMULATE", wanted, step, size)
    check_offset("CUMULATE", size, offset)
    if not (isinstance(step, int) and isinstance(size, int)):
        check_nested("CUMULATE", step, size)
    elif size % step:
        raise InputError(
            "CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, "
            f"but got maxSize {size} ms and step {step} ms: "
            f"{format_duration(size)} is not a multiple of {format_duration(step)}."
        )
    return Cumulate(size, step, offset)
