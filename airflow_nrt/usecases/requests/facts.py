"""The few facts of a report's plan that a task needs, and the lineage of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.usecases.requests.report import ReportRequest


@dataclass(frozen=True)
class FactsRequest:
    """A given `home`, which `group` shares, is created if it is missing. `on_change`: what a driver is to do if the
    home was made for another report."""

    question: ClassVar[str] = "facts"

    report: ReportRequest
    home: str | None = None
    group: str | None = None
    on_change: OnChange = OnChange.FAIL

    def to_json(self) -> dict[str, Any]:
        home = {"home": self.home, "group": self.group, "on_change": str(self.on_change)}
        return {"report": self.report.to_json(), **home}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> FactsRequest:
        report, on_change = ReportRequest.from_json(content["report"]), OnChange(content["on_change"])
        return cls(**{**content, "report": report, "on_change": on_change})


@dataclass(frozen=True)
class PlannedReport:
    """Facts of a report's plan.

    `ends` says whether its input ends; relative paths of its tables start at `base`. `clock` is the zone of its clock,
    None where its rowtimes have no zone. `jars` are what its connectors need (`basics/jars.py`). If it `is_changed`,
    its home is of another report, and it is to take that one's place; `is_begun` if it is computed already.
    """

    name: str
    ends: bool
    base: str
    clock: str | None
    jars: tuple[str, ...] = ()
    is_changed: bool = False
    is_begun: bool = False


@dataclass(frozen=True)
class LineageRequest:
    """Its result is a `Lineage`, column by column."""

    question: ClassVar[str] = "lineage"

    report: ReportRequest

    def to_json(self) -> dict[str, Any]:
        return {"report": self.report.to_json()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> LineageRequest:
        return cls(ReportRequest.from_json(content["report"]))
