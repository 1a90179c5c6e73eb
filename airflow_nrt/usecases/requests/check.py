"""Is this report right?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from airflow_nrt.usecases.requests.report import ReportRequest


@dataclass(frozen=True)
class CheckRequest:
    """With `home`, also whether the report can have its home there, which `group` shares. `deep` runs Spark's analysis,
    too; `debug` prints stack traces.
    """

    question: ClassVar[str] = "check"

    report: ReportRequest
    home: str | None = None
    group: str | None = None
    deep: bool = False
    debug: bool = False

    def to_json(self) -> dict[str, Any]:
        place = {"home": self.home, "group": self.group}
        return {"report": self.report.to_json(), **place, "deep": self.deep, "debug": self.debug}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> CheckRequest:
        return cls(**{**content, "report": ReportRequest.from_json(content["report"])})


@dataclass(frozen=True)
class Findings:
    """The exit status, and what to print: `problems`, or, if there are none, `lines` about the report. If its home has
    another report, both: `lines` say what differs."""

    status: int
    problems: tuple[str, ...]
    lines: tuple[str, ...]
