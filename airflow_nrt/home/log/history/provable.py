"""Up to where the rows that were read so far can be in windows, by the state alone.

Windows that begin at or after that have all their rows in later entries: they can be proven although the entries before
are removed.
"""

from __future__ import annotations

from airflow_nrt.basics.instants import BEFORE_TIME, END_OF_TIME
from airflow_nrt.home.log.entries import OperatorState, Position
from airflow_nrt.model.plan import Plan


def holds_rows_until(state: OperatorState) -> int:
    """No row that the operator has absorbed so far is in a window that begins at or after this (ms).

    Rows are in state until their last window has fired. What was late is no later than the watermark.
    """
    passed = BEFORE_TIME if state.watermark is None else state.watermark + 1
    return max([passed, state.fired_until, *(file.last for file in (*state.rows, *state.closed))])


def provable_from(position: Position) -> int | None:
    """Windows of any operator that begin at or after this (ms) have no row that was read so far; None without
    operators."""
    return max(map(holds_rows_until, position.operators.values()), default=None)


def provable_after(plan: Plan, beginning: Position, operator: str) -> int:
    """Windows of this operator that end after this (ms) have no row that was read up to a position: before all time if
    nothing was read, the end of time if no window is sure to have none.
    """
    if not beginning.operators:
        return BEFORE_TIME
    one = plan.operator(operator)
    until = holds_rows_until(beginning.operators.get(operator, OperatorState()))
    # Windows over windows have the rows of these, and are later.
    upstream = () if one.sources else plan.below(one.input)
    until = max([until, *(provable_after(plan, beginning, name) for name in upstream)])
    if until <= BEFORE_TIME:
        return BEFORE_TIME
    if until >= END_OF_TIME or one.window.earliest_row(one.window.grid.after(0)) <= BEFORE_TIME:
        return END_OF_TIME
    last = one.window.last_end(one.window.slice_end(until - 1))
    while one.window.earliest_row(one.window.grid.after(last)) < until:
        last = one.window.grid.after(last)
    return last
