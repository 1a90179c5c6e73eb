"""What is to be looked at before a report runs on this machine, and what was found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from airflow_nrt.usecases.requests.report import ReportRequest


@dataclass(frozen=True)
class DoctorRequest:
    """Also the place of a `home`, which `group` shares, and a `report` with all servers that its driver asks."""

    report: ReportRequest | None = None
    home: str | None = None
    group: str | None = None


class Judgement(Enum):
    FINE = "fine"
    NOTE = "note"
    WRONG = "wrong"


@dataclass(frozen=True)
class Finding:
    """`said` of what is there, and the `way_out` of what is not as it should be."""

    what: str
    judgement: Judgement
    said: str
    way_out: str = ""

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "judgement": self.judgement.value}
