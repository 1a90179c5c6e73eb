"""Results that never complete: whether the batch over all rows that were read must equal what a stream has emitted."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.home.log.entries import Position, Versions
from airflow_nrt.model.operators import Query
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, read_option
from airflow_nrt.model.plan import Insert, Plan
from airflow_nrt.model.updating import Updating


def not_comparable(plan: Plan, insert: Insert, position: Position) -> str | None:
    """Why the batch may differ although nothing is wrong, None if it must not."""
    below = list(_below(plan, insert.query))
    if not below:
        return None
    if read_option(dict(plan.settings), REPORT_OPTIONS, STATE_TTL):
        return f"the batch remembers what '{STATE_TTL}' forgets: results under it can't be verified"
    by_arrival = next((one.follows_arrival for one in below if one.follows_arrival is not None), None)
    if by_arrival is not None:
        return by_arrival
    waiting = [one for one in below if one.waits_for_end]
    if any(position.updating.get(one.name) for one in waiting):
        return "its rows wait for the end of their sources: nothing is published yet"
    if any(_has_windows(plan, query) for one in waiting for query in one.inputs):
        return (
            "windows in one order of all can't be verified; those of TUMBLE, HOP and CUMULATE can, if ORDER BY begins "
            "with window_end"
        )
    if any(one.stands_alone and not position.updating.get(one.name) for one in below):
        return "no batch has come yet: nothing is published"
    if any(_has_windows(plan, query) for one in below for query in one.inputs):
        return "results that never complete, over windows, can't be verified"
    if position.versions.get(insert.name, Versions()).shown:
        return "changes wait for their 'update-rate': what is emitted already can't be verified"
    return None


def _below(plan: Plan, query: Query) -> Iterator[Updating]:
    """The updating operators that a query reads from, directly or through others."""
    known = {one.name: one for one in plan.updating}
    for operator in (known[name] for name in query.inputs if name in known):
        yield operator
        for each in operator.inputs:
            yield from _below(plan, each)


def _has_windows(plan: Plan, query: Query) -> bool:
    windowed = {*(one.name for one in plan.operators), *(one.name for one in plan.regroups)}
    return any(name in windowed for name in query.inputs)
