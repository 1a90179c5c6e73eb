"""Partials of one batch that several operators share: a day's partial serves the month, the quarter and the year.

Operators that differ in the size of their windows alone make the same partials of rows in time. So the first of them
writes the partials, and the state of each refers to the file. A batch with late rows is absorbed by each, because a row
can be too late for the month, and count in the year.
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.engine.state.store import Written
from airflow_nrt.engine.windows.execution import SLICED, execution_of
from airflow_nrt.engine.windows.operator_layout import Layout


class SharedPartials:
    """What the operators of one batch have written."""

    def __init__(self) -> None:
        self._written: list[tuple[Layout, int | None, Written]] = []

    def written(self, layout: Layout, watermark: int | None) -> Written | None:
        """What an operator would write that judges lateness by this watermark (ms); None if nothing was written yet
        that is the same."""
        found = (one for other, seen, one in self._written if seen == watermark and are_alike(layout, other))
        return next((one for one in found if not one.late), None)

    def add(self, layout: Layout, watermark: int | None, written: Written) -> None:
        self._written.append((layout, watermark, written))


def are_alike(a: Layout, b: Layout) -> bool:
    """Whether both make the same partials of rows in time."""
    if a.operator.numbering is not None:
        # Each has counted the rows of keys since it began.
        return False
    if a.slices is not b.slices or execution_of(a) is not SLICED or execution_of(b) is not SLICED:
        return False
    one, other = a.operator.window, b.operator.window
    if one.has_gaps or other.has_gaps or (one.grid, one.slices, one.zone) != (other.grid, other.slices, other.zone):
        return False
    # The sources whose watermarks they wait for decide on lateness by the watermark alone.
    return replace(a.operator, name="", clock=(), window=other) == replace(b.operator, name="", clock=())
