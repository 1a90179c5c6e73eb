"""A report's stream in this process, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.usecases.requests.report import ReportInHome


@dataclass(frozen=True)
class RunRequest:
    """`available_now`: it ends when all that has arrived is absorbed. `take_over`: a driver that runs already ends, and
    this one takes its place. `on_change`: what it does where the report has changed.
    """

    place: ReportInHome
    available_now: bool = False
    take_over: bool = False
    on_change: OnChange = OnChange.FAIL


@dataclass(frozen=True)
class RunResult:
    """`report` is its name, `state` the last one of the driver's heartbeat."""

    report: str
    state: str
