"""The few facts of a report's plan that a task needs, and the lineage of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from airflow_nrt.usecases.requests.report import ReportRequest


@dataclass(frozen=True)
class FactsRequest:
    """A given `home`, which `group` shares, is created if it is missing."""

    question: ClassVar[str] = "facts"

    report: ReportRequest
    home: str | None = None
    group: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"report": self.report.to_json(), "home": self.home, "group": self.group}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> FactsRequest:
        return cls(**{**content, "report": ReportRequest.from_json(content["report"])})


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
