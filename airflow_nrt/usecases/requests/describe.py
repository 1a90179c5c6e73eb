"""What does a report do? The answer is a description as JSON (`describe/description.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from airflow_nrt.basics.errors import InputError
from airflow_nrt.usecases.requests.report import ReportRequest


@dataclass(frozen=True)
class DescribeRequest:
    """`start` and `end` are of a batch, as in `BatchRequest`.

    With a `rate` of rows a second, also an estimate: `keys` of each operator, and the share of rows with new distinct
    values.
    """

    question: ClassVar[str] = "describe"

    report: ReportRequest
    start: str | None = None
    end: str | None = None
    rate: float | None = None
    keys: int = 10_000
    new_values: float = 1.0

    def __post_init__(self) -> None:
        """Raises InputError for an interval that is open at one side."""
        if (self.start is None) != (self.end is None):
            raise InputError("--start and --end name an interval together: give both, or none")

    def to_json(self) -> dict[str, Any]:
        load = {"rate": self.rate, "keys": self.keys, "new_values": self.new_values}
        return {"report": self.report.to_json(), "start": self.start, "end": self.end, **load}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> DescribeRequest:
        return cls(**{**content, "report": ReportRequest.from_json(content["report"])})
