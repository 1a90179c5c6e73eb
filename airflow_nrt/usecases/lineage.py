"""The lineage of a report, in the process that may import it."""

from __future__ import annotations

from airflow_nrt.describe.lineage import Lineage, lineage_of
from airflow_nrt.usecases.plans import plan_of
from airflow_nrt.usecases.requests.facts import LineageRequest


def lineage(request: LineageRequest) -> Lineage:
    """Raises as `load_report`."""
    return lineage_of(plan_of(request.report))
