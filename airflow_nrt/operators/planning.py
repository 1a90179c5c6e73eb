"""The facts of a task's report, from another process. No task imports code of the report's authors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_nrt.launch.asking import Inquiry, ask, facts

if TYPE_CHECKING:
    from airflow_nrt.describe.lineage import Lineage
    from airflow_nrt.home.home import Home
    from airflow_nrt.model.options.settings import Settings

PLANNING_SECONDS = 120.0


@dataclass(frozen=True)
class PlannedReport:
    """Facts of a report's plan.

    `ends` says whether its input ends; relative paths of its tables start at `base`. `clock` is the zone of its clock,
    None where its rowtimes have no zone. `jars` are what its connectors need (`basics/jars.py`).
    """

    name: str
    ends: bool
    base: str
    clock: str | None
    jars: tuple[str, ...] = ()


def plan_in_process(
    report: str,
    settings: Settings,
    environment: Mapping[str, str],
    base: Path | None = None,
    home: Home | None = None,
    seconds: float = PLANNING_SECONDS,
    say: Callable[[str], None] = print,
) -> PlannedReport:
    """Plans a script or a program (see `load_report`). With `home`, the home is created if it is missing.

    Raises what `load_report` and `Home.create` raise, and as `ask` does.
    """
    home_of_report = {"home": None if home is None else str(home.path), "group": None if home is None else home.group}
    question = {**_question(report, settings, base), **home_of_report}
    return facts(
        ask("airflow_nrt.table.reports.planned", question, _inquiry(report, seconds, say), environment), PlannedReport
    )


def trace_apart(
    report: str,
    settings: Settings,
    environment: Mapping[str, str],
    base: Path | None = None,
    seconds: float = PLANNING_SECONDS,
    say: Callable[[str], None] = print,
) -> Lineage:
    """The lineage of a script or a program, column by column. Raises as `plan_in_process` does."""
    from airflow_nrt.describe.lineage import Lineage

    question = _question(report, settings, base)
    return facts(
        ask("airflow_nrt.table.reports.traced", question, _inquiry(report, seconds, say), environment), Lineage
    )


def _question(report: str, settings: Settings, base: Path | None) -> dict[str, Any]:
    return {"report": report, "settings": settings.to_json(), "base": None if base is None else str(base)}


def _inquiry(report: str, seconds: float, say: Callable[[str], None]) -> Inquiry:
    return Inquiry(f"the report {report}", seconds, "give the task a longer `planning_timeout`", say)
