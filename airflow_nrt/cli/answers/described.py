"""The answer for `plan` about a report (`launch/asking.py`), in the process that may import it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow_nrt.basics.instants import check_span
from airflow_nrt.cli.common import read_report
from airflow_nrt.describe.description import describe
from airflow_nrt.describe.sizing import Load, estimate
from airflow_nrt.usecases.plans import time_of


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """The plan in words, and an estimate where a rate is given. Raises InputError."""
    plan = read_report(question)
    start, end = time_of(question["start"], plan), time_of(question["end"], plan)
    check_span(start, end)
    described = describe(plan, start, end)
    if question["rate"] is not None:
        described["estimate"] = estimate(plan, Load(question["rate"], question["keys"], question["new_values"]))
    return described
