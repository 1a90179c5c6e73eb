"""Whether the report of a home still wants NULL for arithmetic that has no result, once its log has taken it."""

from __future__ import annotations

from airflow_nrt.home.log.entries import Position
from airflow_nrt.model.arithmetic_errors import check_kept
from airflow_nrt.model.plan import Plan


def check_arithmetic(plan: Plan, position: Position) -> None:
    """Raises InputError if an entry up to this position has taken NULL, and the report wants errors."""
    check_kept(plan.settings, any(state.nulls_errors for state in position.sources.values()))
