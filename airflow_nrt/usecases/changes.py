"""What does a changed report change? In the process that may import it, which ends with the answer.

The home is only read: its report, its log and which of the files of its log are still there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.errors import ChangedReportError, InputError
from airflow_nrt.home.changes.comparison import Comparison
from airflow_nrt.home.changes.outcome import Fills, GoesOn, Outcome, Refuses
from airflow_nrt.home.changes.past import Past
from airflow_nrt.home.changes.words import as_json, comparison_lines
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.arithmetic import check_arithmetic
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import plan_of_home
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.changes import ChangesRequest


@dataclass(frozen=True)
class Changes:
    """The comparison with the report of a home, and what the next driver does today."""

    comparison: Comparison
    outcome: Outcome

    @property
    def lines(self) -> Sequence[str]:
        return [*comparison_lines(self.comparison), str(self.outcome)]

    def to_json(self) -> dict[str, Any]:
        return {**as_json(self.comparison), "driver": self.outcome.to_json()}


def changes(request: ChangesRequest) -> dict[str, Any]:
    """As JSON, with `lines` for people and whether a driver takes the report.

    Raises InputError, also for the home of another report, and HomeError if the home can't be read.
    """
    plan = plan_of(request.report)
    found = changes_in(Home.open(request.home, request.group), plan)
    return {"accepted": found.outcome.accepted, "lines": found.lines, "changes": found.to_json()}


def changes_in(home: Home, plan: Plan) -> Changes:
    """What a planned report changes in a home, which exists. Raises as `changes`."""
    comparison, made_for = home.comparison(plan, plan_of_home)
    past = Past(home.log(), made_for, plan)
    return Changes(comparison.with_past(past.of, plan), _outcome(home, plan))


def _kept_from_rebuilding(home: Home, plan: Plan) -> str | None:
    # Its imports take a second, and most reports have not changed.
    from airflow_nrt.engine.rebuild import change_of

    try:
        change_of(home, plan, plan_of_home)
    except InputError as wrong:
        return str(wrong)
    return None


def _outcome(home: Home, plan: Plan) -> Outcome:
    try:
        Home.checked(home.path, plan, plan_of_home, home.group)
        check_arithmetic(plan, home.log().position())
        added = home.additions(plan, plan_of_home)
    except ChangedReportError as refused:
        return Refuses(refused.way_out, _kept_from_rebuilding(home, plan))
    except InputError as wrong:
        return Refuses(str(wrong), str(wrong))
    return Fills(added) if added else GoesOn()
