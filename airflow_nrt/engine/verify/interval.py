"""Which windows are compared, and up to where windows are complete."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME, check_span, format_instant, format_reached
from airflow_nrt.describe.verdict import not_before
from airflow_nrt.home.log.entries import OperatorState
from airflow_nrt.home.log.history.history import History
from airflow_nrt.home.log.history.provable import provable_after
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.plan import Plan


@dataclass(frozen=True)
class Interval:
    """Windows with `start < end of window <= end`; None is open. Raises InputError if it is empty or reversed."""

    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        check_span(self.start, self.end)

    def check_windows_of(self, operator: WindowAggregate) -> None:
        """Raises InputError if no window of this operator ends in it."""
        if self.start is None or self.end is None or any(operator.window.ends_between(self.start, self.end)):
            return
        raise InputError(
            f"no window of {operator.window} ends after {format_instant(self.start)} and up to "
            f"{format_instant(self.end)}"
        )


EVERYTHING = Interval()


def complete_until(plan: Plan, history: History, operator: str) -> int | None:
    """The end up to which the windows of an operator are complete: they have fired, or a backfill published them."""
    if history.is_streamed:
        return history.position.operators.get(operator, OperatorState()).complete_until
    inserts = {insert.name for insert in plan.fed_by(operator)}
    return max(
        (p.end for (name, _), p in history.published.items() if name in inserts and p.end is not None), default=None
    )


def not_provable_until(plan: Plan, history: History, operator: str) -> int:
    """Windows of an operator that end at or before this may have rows in removed entries (`provable_after`)."""
    return provable_after(plan, history.beginning.state.position, operator)


def bounds_of(plan: Plan, history: History, interval: Interval, operator: WindowAggregate) -> tuple[int, int] | None:
    """(after, until) of the windows to compare; None if no window is complete, or none can be proven."""
    fired = complete_until(plan, history, operator.name)
    after = -END_OF_TIME if interval.start is None else interval.start
    after = max(after, not_provable_until(plan, history, operator.name))
    until = fired if interval.end is None else min(interval.end, fired if fired is not None else after)
    return None if until is None or until <= after else (after, until)


def check_interval(plan: Plan, history: History, interval: Interval) -> None:
    """Raises InputError if an interval was given and there is nothing to verify in it."""
    if not plan.operators or interval == EVERYTHING:
        return
    for operator in plan.operators:
        bounds = bounds_of(plan, history, interval, operator)
        if bounds is not None and any(operator.window.ends_between(*bounds)):
            return
    first = plan.operators[0]
    interval.check_windows_of(first)
    gone = {one.name: not_provable_until(plan, history, one.name) for one in plan.operators}
    if interval.end is not None and interval.end <= min(gone.values()):
        raise InputError(f"the windows of the interval {not_before(gone)}")
    fired = complete_until(plan, history, first.name)
    until = "none is yet" if fired is None else f"they are up to {format_reached(fired)}"
    raise InputError(f"no window of {first.window} in the interval is complete: {until}. Wait for the stream")
