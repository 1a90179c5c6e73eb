"""SESSION: a window lasts as long as rows of a key follow each other within the gap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.model.windows.lengths import Length
from airflow_nrt.model.windows.months import Months
from airflow_nrt.model.windows.slots import LONGEST_SLOT, SlotWindow
from airflow_nrt.model.windows.window import Ends, check_positive


@dataclass(frozen=True)
class Session(SlotWindow):
    """`size` is the gap."""

    kind: ClassVar[str] = "SESSION"
    bounded_by_rows: ClassVar[bool] = True

    def is_due(self, until: int, fired: int | None, rows: Sequence[Ends], closed: Sequence[Ends]) -> bool:
        """A session that is open may have rows from before `fired`."""
        if fired is not None and until <= fired:
            return False
        after = BEFORE_TIME if fired is None else fired
        return any(one.close_by(until) for one in rows) or any(one.close_after(after) for one in closed)

    def earliest_row(self, end: int) -> int:
        """The length of a session has no bound."""
        return BEFORE_TIME

    def rows_until(self, end: int) -> int:
        """A row at the end of a session extends it."""
        return end + 1

    @property
    def lengths(self) -> str:
        return f"SESSION {format_duration(self.size)}"


def session(gap: Length) -> Session:
    """Raises InputError in Flink's words where Flink does."""
    if isinstance(gap, Months):
        raise InputError(f"SESSION takes a gap in days or less: {gap} has no fixed length")
    check_positive("SESSION", f"gap to be positive, but got gap {gap} ms", gap)
    return Session(gap, min(gap, LONGEST_SLOT))
