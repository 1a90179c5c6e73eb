"""Rows that a table refuses are set aside, or taken back, and which these are."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from airflow_nrt.home.set_aside import SetAside
from airflow_nrt.usecases.requests.report import ReportInHome


@dataclass(frozen=True)
class SetAsideRequest:
    place: ReportInHome


@dataclass(frozen=True)
class SetAsideResult:
    rows: tuple[SetAside, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
