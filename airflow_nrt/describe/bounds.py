"""What bounds the state of each updating operator: the proof, operator by operator."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import RecentRows, RowsAtEnd, Updating, UpdatingJoin, UpdatingRows, UpdatingSessions

END = "the end of its sources"


def bound(plan: Plan, operator: Updating) -> str | None:
    """What bounds its state; None if nothing does."""
    if isinstance(operator, RowsAtEnd):
        return END
    if isinstance(operator, RecentRows):
        return (
            f"{operator.text}: a row is forgotten {format_duration(operator.span)} of event time behind the watermark"
        )
    if isinstance(operator, UpdatingJoin) and operator.interval is not None:
        least, most = (format_duration(max(0, ms)) for ms in (-operator.interval[0], operator.interval[1]))
        return f"how near rows are that meet: the left are forgotten {least}, the right {most} behind the watermark"
    ttl = read_option(dict(plan.settings), REPORT_OPTIONS, STATE_TTL)
    if ttl and isinstance(operator, UpdatingJoin):
        return f"a row is forgotten {format_duration(ttl)} of processing time after it was last written"
    if ttl:
        return f"a key that no row touches for {format_duration(ttl)} of processing time is forgotten"
    own = _own(operator)
    inputs = None if own else _inputs(plan, operator)
    return own or (inputs if inputs in (None, END) else f"the tables that it reads: {inputs}")


def is_cause(plan: Plan, operator: Updating) -> bool:
    """Whether nothing bounds its state, and it is the first of which that holds.

    What an interval join keeps is bounded, and the pairs that it gives are not: what keeps those is a cause.
    """
    known = {one.name: one for one in plan.updating}
    below = [known[name] for query in operator.inputs for name in query.inputs if name in known]
    return bound(plan, operator) is None and all(bound(plan, one) for one in below)


def _own(operator: Updating) -> str | None:
    """What bounds it whatever comes in."""
    if isinstance(operator, (RecentRows, RowsAtEnd, UpdatingSessions, UpdatingJoin)) or not operator.constant:
        return None
    if operator.changing and not (isinstance(operator, UpdatingRows) and not operator.computed):
        # All rows of its groups are kept, those that are not the result's, too.
        return None
    return "its keys, whose domain is declared constant" if operator.keys else "that it has no key: there is one group"


def _inputs(plan: Plan, operator: Updating) -> str | None:
    """What bounds the tables that it reads, all of them."""
    contents = [_content(plan, name) for name in _names(operator.inputs)]
    if not contents or None in contents:
        return None
    return "; ".join(dict.fromkeys(one for one in contents if one))


def _content(plan: Plan, name: str) -> str | None:
    """What bounds the number of rows of a table that an operator reads."""
    updating = next((one for one in plan.updating if one.name == name), None)
    if updating is not None:
        return _contents(plan, updating)
    windows: dict[str, Query] = {one.name: one.input for one in plan.operators}
    windows |= {one.name: one.input for one in plan.regroups}
    if name in windows:
        ends = all(_content(plan, below) == END for below in _names([windows[name]]))
        return END if ends else None
    return None if "source.monitor-interval" in plan.source(name).table.options else END


def _contents(plan: Plan, operator: Updating) -> str | None:
    """What bounds the number of rows of its result: never a TTL, which takes nothing back."""
    if isinstance(operator, RecentRows):
        return operator.text
    own = None
    if not isinstance(operator, (RowsAtEnd, UpdatingSessions, UpdatingJoin)) and operator.constant:
        own = "a constant domain" if operator.keys else "one group"
    return own or _inputs(plan, operator)


def _names(queries: Iterable[Query]) -> list[str]:
    return list(dict.fromkeys(name for query in queries for name in query.inputs))
