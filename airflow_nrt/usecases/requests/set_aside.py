"""Rows that a sink refuses for good, taken out of the results that wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from airflow_nrt.usecases.requests.report import ReportInHome


@dataclass(frozen=True)
class SetAsideRequest:
    command: ClassVar[str] = "set-aside"

    place: ReportInHome

    def arguments(self) -> list[str]:
        """The command line, as `ReportInHome.arguments`."""
        return self.place.arguments()


@dataclass(frozen=True)
class RefusedResult:
    """A row, by column as text, with its log entry, its insert, and why the sink refuses it."""

    entry: int
    insert: str
    reason: str
    row: Mapping[str, Any]


@dataclass(frozen=True)
class SetAsideResult:
    rows: tuple[RefusedResult, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
