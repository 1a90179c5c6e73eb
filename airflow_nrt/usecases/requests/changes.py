"""What does a report change, compared with that of a home?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from airflow_nrt.usecases.requests.report import ReportRequest

REFUSED = 4
"""The exit status where the next driver would refuse the report."""


@dataclass(frozen=True)
class ChangesRequest:
    """The `home`, which `group` shares, exists."""

    question: ClassVar[str] = "changes"

    report: ReportRequest
    home: str
    group: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"report": self.report.to_json(), "home": self.home, "group": self.group}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ChangesRequest:
        return cls(**{**content, "report": ReportRequest.from_json(content["report"])})
