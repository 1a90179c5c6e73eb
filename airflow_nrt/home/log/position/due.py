"""What is due at a position: windows that can fire, and rows that come or go as time passes."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.basics.instants import BEFORE_TIME
from airflow_nrt.home.log.entries import OperatorState, Position
from airflow_nrt.home.log.position.state_kinds import Partials, RowsByTime
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import Updating


def fires_until(operator: WindowAggregate, state: OperatorState) -> int | None:
    """The end (ms) up to which the windows of an operator fire now, None if none with rows can."""
    if state.watermark is None:
        return None
    until = operator.window.last_complete_end(state.watermark)
    rows, closed = Partials(state.rows).ends, Partials(state.closed).ends
    return until if operator.is_due(until, state.fired, rows, closed) else None


def are_windows_due(plan: Plan, position: Position) -> bool:
    """Whether any operator fires now."""
    return any(fires_until(operator, position.operators[operator.name]) is not None for operator in plan.operators)


def moments_due(operators: Iterable[Updating], position: Position) -> dict[str, int]:
    """By name, the watermarks (ms) to which operators over recent rows are to be moved."""
    found: dict[str, int] = {}
    for operator in operators:
        if operator.moved_by is not None:
            state, rows = position.sources[operator.moved_by], RowsByTime(position.updating[operator.name])
            known = (state.watermark, rows.latest if state.ended else None)
            latest = max((at for at in known if at is not None), default=None)
            if latest is not None and latest > position.moments.get(operator.name, BEFORE_TIME):
                found[operator.name] = latest
    return found


def is_closed_to(plan: Plan, position: Position, source: str) -> bool:
    """Whether rows of this source waited for its end, and were emitted: no more rows have a place."""
    waiting = [plan.sources_of(query) for one in plan.updating if one.waits_for_end for query in one.inputs]
    return any(source in below and all(position.sources[name].ended for name in below) for below in waiting)
