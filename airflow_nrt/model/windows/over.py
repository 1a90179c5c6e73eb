"""OVER: each row has a window of its own, which ends after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.model.windows.slots import LONGEST_SLOT, SlotWindow
from airflow_nrt.model.windows.window import Ends


@dataclass(frozen=True)
class Over(SlotWindow):
    """`size` is how far frames reach back (ms)."""

    kind: ClassVar[str] = "OVER"
    looked_at_early: ClassVar[bool] = False
    of_each_row: ClassVar[bool] = True

    def is_due(self, until: int, fired: int | None, rows: Sequence[Ends], closed: Sequence[Ends]) -> bool:
        """New rows may be of times that have fired."""
        return any(one.close_by(until) for one in rows)

    def earliest_row(self, end: int) -> int:
        return max(self.start(end) - self.size, -END_OF_TIME)

    @property
    def lengths(self) -> str:
        return "OVER"


def over(reach: int = END_OF_TIME) -> Over:
    """Row windows whose frames reach back at most `reach` milliseconds."""
    return Over(reach, LONGEST_SLOT)
