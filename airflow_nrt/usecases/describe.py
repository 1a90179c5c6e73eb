"""A report's plan in words, and an estimate, in the process that may import it."""

from __future__ import annotations

from typing import Any

from airflow_nrt.basics.instants import check_span
from airflow_nrt.describe import description
from airflow_nrt.describe.sizing import Load, estimate
from airflow_nrt.usecases.plans import plan_of, time_of
from airflow_nrt.usecases.requests.describe import DescribeRequest


def describe(request: DescribeRequest) -> dict[str, Any]:
    """As JSON; `estimate` is there if a rate is given. Raises InputError."""
    plan = plan_of(request.report)
    start, end = time_of(request.start, plan), time_of(request.end, plan)
    check_span(start, end)
    described = description.describe(plan, start, end)
    if request.rate is not None:
        described["estimate"] = estimate(plan, Load(request.rate, request.keys, request.new_values))
    return described
