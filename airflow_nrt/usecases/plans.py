"""The plan of the report that is meant, in this process. Authors' code is imported."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.zones import parse_wall_clock
from airflow_nrt.table.reports.load import load_report
from airflow_nrt.usecases.requests.report import ReportRequest


def plan_of(request: ReportRequest) -> Plan:
    """The plan. What the report itself prints is no result: it goes to standard error. Raises InputError."""
    with redirect_stdout(sys.stderr):
        return load_report(request.report, request.settings, base=request.base)


def time_of(text: str | None, plan: Plan) -> int | None:
    """A time (ms) of the report's clock, or an instant with `Z` or an offset. Raises InputError unless it is a time."""
    if text is None:
        return None
    try:
        return parse_wall_clock(text, plan.zone)
    except ValueError as wrong:
        raise InputError(str(wrong)) from None
