"""Which batches can have brought rows of an interval, by the log alone.

A row counts in windows through the partials that its batch added to the state, and the log says with which windows
these close. A row that missed a window is in the late ledger, with its rowtime.
"""

from __future__ import annotations

from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.position.state_kinds import Partials
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.windows import Window


def brought_in_time(plan: Plan, history: History, batch: int, start: int, end: int) -> bool:
    """Whether the batch of this entry can have rows with `start <= rowtime < end` (ms) that were late for no window."""
    added = history.absorbed.get(batch)
    if added is None:
        return True
    readers = plan.readers(history.batches[batch].source)
    return any(one.name not in added or _overlap(added[one.name], one.window, start, end) for one in readers)


def _overlap(partials: Partials, window: Window, start: int, end: int) -> bool:
    """Whether rows of these partials can lie in the interval. Each is in the window with which its slice closes."""
    if not partials.files:
        return False
    span = partials.span
    earliest = min(window.earliest_row(span.first), window.slices.shifted(span.first, -1))
    return earliest < end and window.rows_until(span.last) > start
