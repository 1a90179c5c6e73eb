"""How far the FLOAT and DOUBLE of an insert may differ between stream and batch, because they add in other orders."""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.model.aggregates import ROUNDING
from airflow_nrt.model.operators import AggregateCall, Query
from airflow_nrt.model.plan import Insert, Plan


def tolerance_of(plan: Plan, insert: Insert) -> float:
    """The tolerance of its columns, relative above 1; 0 if all that it computes is exact.

    That of its aggregates, also of those below them. Functions in Python see rows in other groups, so that theirs may
    differ, too.
    """
    found = [call.tolerance for call in _calls(plan, insert.query)]
    return max([ROUNDING if plan.functions else 0.0, *found])


def _calls(plan: Plan, query: Query) -> Iterator[AggregateCall]:
    """The aggregates that a query depends on, through any number of operators."""
    for operator in (*plan.operators, *plan.regroups, *plan.updating):
        if operator.name in query.inputs:
            yield from operator.calls
            for below in operator.inputs:
                yield from _calls(plan, below)
