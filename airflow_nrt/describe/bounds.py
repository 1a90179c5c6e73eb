"""The bound of the state of each updating operator, as a proof."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import END, Updating


def bound(plan: Plan, operator: Updating) -> str | None:
    """What bounds its state; None if nothing does."""
    if operator.bound is not None:
        return operator.bound
    ttl = read_option(dict(plan.settings), REPORT_OPTIONS, STATE_TTL)
    if ttl:
        return operator.bound_by(format_duration(ttl))
    if operator.bound_of_groups is not None:
        return operator.bound_of_groups
    inputs = _inputs(plan, operator)
    return inputs if inputs in (None, END) else f"the tables that it reads: {inputs}"


def is_cause(plan: Plan, operator: Updating) -> bool:
    """Whether nothing bounds its state, but something bounds the state of all operators below it.

    The state of an interval join is bounded, and its result is not: an operator above that keeps the result is a cause.
    """
    known = {one.name: one for one in plan.updating}
    below = [known[name] for query in operator.inputs for name in query.inputs if name in known]
    return bound(plan, operator) is None and all(bound(plan, one) for one in below)


def reads_without_end(plan: Plan, name: str) -> bool:
    """Whether a window operator reads a live table, itself or through others."""
    return _content(plan, name) is None


def _inputs(plan: Plan, operator: Updating) -> str | None:
    """What bounds all tables that it reads; None if one has no bound."""
    contents = [_content(plan, name) for name in _names(operator.inputs)]
    if not contents or None in contents:
        return None
    return "; ".join(dict.fromkeys(one for one in contents if one))


def _content(plan: Plan, name: str) -> str | None:
    """What bounds the number of rows of a table that an operator reads."""
    updating = next((one for one in plan.updating if one.name == name), None)
    if updating is not None:
        # A TTL is no bound of a result: it retracts nothing.
        return updating.bound_of_result or _inputs(plan, updating)
    windows: dict[str, Query] = {one.name: one.input for one in plan.operators}
    windows |= {one.name: one.input for one in plan.regroups}
    if name in windows:
        ends = all(_content(plan, below) == END for below in _names([windows[name]]))
        return END if ends else None
    table = plan.source(name).table
    return None if connector_of(table).is_live(table) else END


def _names(queries: Iterable[Query]) -> list[str]:
    return list(dict.fromkeys(name for query in queries for name in query.inputs))
