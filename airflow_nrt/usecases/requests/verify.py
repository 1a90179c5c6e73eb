"""A verification. Its result is a `Verdict`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from airflow_nrt.usecases.requests.batch import BatchRequest
from airflow_nrt.usecases.requests.report import ReportInHome


@dataclass(frozen=True)
class VerifyRequest:
    """`published` is a copy of the sink's directory to verify instead."""

    command: ClassVar[str] = "verify"

    batch: BatchRequest
    published: Path | None = None

    @property
    def place(self) -> ReportInHome:
        return self.batch.place

    def arguments(self) -> list[str]:
        """The command line, as `ReportInHome.arguments`."""
        return [*self.batch.arguments(), *([] if self.published is None else ["--published", str(self.published)])]


@dataclass(frozen=True)
class VerifyArchivesRequest:
    """A comparison of the archives that a report writes with their topics, as far as these still have the records.

    `patience` is as in `BatchRequest`.
    """

    place: ReportInHome
    patience: int = 0
