"""What is due at a position: windows that can fire, and rows that come or go as time passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from airflow_nrt.basics.instants import END_OF_TIME, LAST_MINUTE
from airflow_nrt.home.log.entries import OperatorState, Position
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import Updating
from airflow_nrt.model.windows import Over, Session, Window

_Due = Callable[[WindowAggregate, OperatorState, int], bool]
"""Whether windows that end at or before an instant (ms) are due."""


def fires_until(operator: WindowAggregate, state: OperatorState) -> int | None:
    """The end (ms) up to which the windows of an operator fire now, None if none with rows can."""
    if state.watermark is None:
        return None
    until = operator.window.last_complete_end(state.watermark)
    is_due = _parts_due if operator.parts else _DUE.get(type(operator.window), _slices_due)
    return until if is_due(operator, state, until) else None


def are_windows_due(plan: Plan, position: Position) -> bool:
    """Whether any operator fires now."""
    return any(fires_until(operator, position.operators[operator.name]) is not None for operator in plan.operators)


def _slices_due(operator: WindowAggregate, state: OperatorState, until: int) -> bool:
    if state.fired is not None and until <= state.fired:
        return False
    open_rows = any(file.first <= until and (state.fired is None or file.last > state.fired) for file in state.rows)
    last_end = operator.window.last_end
    return open_rows or any(state.fired is not None and last_end(file.last) > state.fired for file in state.closed)


def _sessions_due(operator: WindowAggregate, state: OperatorState, until: int) -> bool:
    if state.fired is not None and until <= state.fired:
        return False
    ending = any(file.first <= until for file in state.rows)
    return ending or any(file.last > (state.fired or -END_OF_TIME) for file in state.closed)


def _rows_due(operator: WindowAggregate, state: OperatorState, until: int) -> bool:
    """New rows of OVER may be of times that have fired."""
    some_wait = bool(operator.followers and state.closed) and (state.fired or -END_OF_TIME) < LAST_MINUTE <= until
    return some_wait or any(file.first <= until for file in state.rows)


def _parts_due(operator: WindowAggregate, state: OperatorState, until: int) -> bool:
    return bool(state.rows)


_DUE: Mapping[type[Window], _Due] = {Session: _sessions_due, Over: _rows_due}


def moments_due(operators: Iterable[Updating], position: Position) -> dict[str, int]:
    """By name, the watermarks (ms) to which operators over recent rows are to be moved."""
    found: dict[str, int] = {}
    for operator in operators:
        if operator.moved_by is not None:
            state, files = position.sources[operator.moved_by], position.updating[operator.name]
            known = [state.watermark, *(file.last for file in files if state.ended)]
            latest = max((at for at in known if at is not None), default=None)
            if latest is not None and latest > position.moments.get(operator.name, -END_OF_TIME):
                found[operator.name] = latest
    return found


def is_closed_to(plan: Plan, position: Position, source: str) -> bool:
    """Whether rows of this source waited for its end, and were emitted: no more rows have a place."""
    waiting = [plan.sources_of(query) for one in plan.updating if one.waits_for_end for query in one.inputs]
    return any(source in below and all(position.sources[name].ended for name in below) for below in waiting)
