"""The answer for Airflow's tasks about a report (`launch/asking.py`), in the process that may import it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from airflow_nrt.model.options.known import TIME_ZONE
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import load_report


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of `operators/planning.py` about the plan of `report` with `settings`, and paths that start at `base`.

    A given `home` is created if it is missing. Raises what `load_report` and `Home.create` raise.
    """
    base = question["base"]
    plan = load_report(
        question["report"], Settings.from_json(question["settings"]), base=None if base is None else Path(base)
    )
    if question["home"] is not None:
        from airflow_nrt.home.home import Home
        from airflow_nrt.table.reports.load import plan_of_home

        Home.create(question["home"], plan, plan_of_home, question["group"])
    base = plan.base if plan.built is None else str(plan.built.base)
    facts = {"name": plan.name, "ends": plan.ends, "base": base, "clock": clock_of(plan)}
    return {**facts, "jars": list(plan.jars)}


def clock_of(plan: Plan) -> str | None:
    """The zone of the report's clock, if it sets one, or if its windows are on instants or processing time.

    None if rowtimes have no zone: they are on the clock of their writer.
    """
    own = plan.setting(TIME_ZONE)
    timed = (source.table for source in plan.sources if source.table.watermark is not None)
    if own is not None or plan.waits_for_clock or any(table.rowtime_type.name == "TIMESTAMP_LTZ" for table in timed):
        return own or "UTC"
    return None
