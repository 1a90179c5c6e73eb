"""The semantics of operators: one version number per kind, to be raised when the same rows give other results than
before. Windows have theirs as an attribute.

A home keeps the numbers of the version that made it. A version whose results differ refuses such a home, because the
two parts of its curve would not fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_nrt.model.operators import Regroup, WindowAggregate
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.updating import (
    RecentRows,
    RowsAtEnd,
    Updating,
    UpdatingAggregate,
    UpdatingJoin,
    UpdatingRows,
    UpdatingSessions,
)

UPDATING: dict[type[Updating], tuple[str, int]] = {
    UpdatingAggregate: ("GROUP BY without a window", 1),
    UpdatingRows: ("Top-N, deduplication or OVER of rows that change", 1),
    UpdatingSessions: ("SESSION of rows that change", 1),
    UpdatingJoin: ("join without a window", 1),
    RecentRows: ("rows of a sliding interval", 1),
    RowsAtEnd: ("ORDER BY of all rows", 1),
}

Semantics = Mapping[str, Mapping[str, Any]]


def semantics(plan: Plan) -> dict[str, dict[str, Any]]:
    """What each operator of a plan does and its version, by the name of its state in the home."""
    operators: tuple[WindowAggregate | Regroup | Updating, ...] = (*plan.operators, *plan.regroups, *plan.updating)
    return {one.name: dict(zip(("does", "version"), _of(one))) for one in operators}


def _of(operator: WindowAggregate | Regroup | Updating) -> tuple[str, int]:
    if isinstance(operator, (WindowAggregate, Regroup)):
        return str(operator.window), operator.window.semantics
    return UPDATING[type(operator)]


def changed_semantics(before: Semantics, plan: Plan) -> list[str]:
    """The operators with other results or other state than `before`; one sentence each."""
    return list(changed_operators(before, plan).values())


def changed_operators(before: Semantics, plan: Plan) -> dict[str, str]:
    """The same sentences by the names of the operators.

    What `before` does not say about an operator counts as unchanged.
    """
    found = {}
    for name, now in semantics(plan).items():
        known = before.get(name)
        if known is None:
            found[name] = f"{now['does']} keeps its state under another name"
        elif known.get("does", now["does"]) != now["does"]:
            found[name] = f"the state of {known['does']} would be taken for that of {now['does']}"
        elif known.get("version", now["version"]) != now["version"]:
            found[name] = f"{now['does']} has other results: version {known['version']} before, {now['version']} now"
    return found
