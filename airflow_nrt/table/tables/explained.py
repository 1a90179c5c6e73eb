"""A plan as programs print it: in words, as `airflow-nrt plan` prints it, or as JSON."""

from __future__ import annotations

import json

from airflow_nrt.describe.description import describe
from airflow_nrt.describe.description_lines import plan_lines
from airflow_nrt.model.plan import Plan


def explained(plan: Plan, as_json: bool) -> str:
    described = describe(plan)
    return json.dumps(described, indent=2, ensure_ascii=False) if as_json else "\n".join(plan_lines(described))
